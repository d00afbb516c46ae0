import { Link } from "wouter";
import { useSubject } from "../../api/schemas";
import type { RegisteredSchema, Subject } from "../../api/types";
import { useMay } from "../../api/workspace";
import { Fact, Facts } from "../../ui/facts";
import { counted } from "../../ui/format/numbers";
import { LoadedPage } from "../../ui/loaded";
import { Page, Panel } from "../../ui/page";
import { Ago } from "../../ui/time";
import { levelWords } from "./levels";
import { NewVersionForm } from "./new-version-form";
import { pretty } from "./pretty";
import classes from "./schemas.module.css";

export function SubjectPage({ name }: { name: string }) {
  const query = useSubject(name);
  return <LoadedPage query={query} what="subject">{(subject) => <OneSubject subject={subject} />}</LoadedPage>;
}

function OneSubject({ subject }: { subject: Subject }) {
  const mayEdit = useMay("editor");
  const newest = subject.versions[0];
  return (
    <Page title={subject.name} parent={{ label: "Schemas", href: "/schemas" }}>
      <Facts>
        <Fact label="Newest" note={newest && <>id {newest.id} in frames of records</>}>version {newest?.version}</Fact>
        <Fact label="Kind">{newest?.schema_type === "JSON" ? "JSON Schema" : "Avro"}</Fact>
        <Fact label="New versions must" note={subject.level}>{levelWords(subject.level)}</Fact>
        <Fact label="Read by">{subject.streams.length ? subject.streams.map((name) => <span key={name}><Link href={`/streams/${name}`}>{name}</Link> </span>) : "no stream"}</Fact>
      </Facts>
      {mayEdit && newest && <Panel title="New version"><NewVersionForm key={newest.version} subject={subject.name} kind={newest.schema_type} text={pretty(newest.schema)} references={newest.references} /></Panel>}
      <Panel title={counted(subject.versions.length, "version")} flush>{subject.versions.map((version) => <OneVersion key={version.version} version={version} />)}</Panel>
    </Page>
  );
}

function OneVersion({ version }: { version: RegisteredSchema }) {
  return (
    <details className={classes["version"]}>
      <summary><strong>Version {version.version}</strong> <span className="soft">id {version.id}, registered <Ago at={version.created_at} />{version.references.length > 0 && `, refers to ${version.references.map(({ subject }) => subject).join(", ")}`}</span></summary>
      <pre tabIndex={0}>{pretty(version.schema)}</pre>
    </details>
  );
}

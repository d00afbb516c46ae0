import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { useSchemaPolicy, useSubject } from "../../api/schemas";
import type { RegisteredSchema, Subject } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { useUrlState } from "../../ui/url-state";
import { DescriptionItem, DescriptionList } from "../../ui/description-list";
import { counted } from "../../ui/format/numbers";
import { QueryPage } from "../../ui/query-result";
import { Page, Panel } from "../../ui/page";
import { Badge } from "../../ui/status";
import { Ago } from "../../ui/time";
import { DeleteSchema } from "./delete-schema";
import { levelText, modeText } from "./compatibility-levels";
import { NewVersionForm } from "./new-version-form";
import { PolicyForm } from "./policy-form";
import { formatSchema } from "./format-schema";
import classes from "./schemas.module.css";

export function SubjectPage({ name }: { name: string }) {
  const [deleted, setDeleted] = useUrlState("deleted", "");
  const query = useSubject(name, true, deleted === "1");
  return (
    <QueryPage query={query} what="subject">
      {(subject) => (
        <OneSubject
          subject={subject}
          deleted={deleted === "1"}
          onDeleted={(on) => {
            setDeleted(on ? "1" : null);
          }}
          onChange={() => query.refetch()}
        />
      )}
    </QueryPage>
  );
}

interface OneSubjectProps {
  subject: Subject;
  deleted: boolean;
  onDeleted: (on: boolean) => void;
  /** resolves when what is shown is the present */
  onChange: () => Promise<unknown>;
}

function OneSubject({ subject, deleted, onDeleted, onChange }: OneSubjectProps) {
  const mayEdit = useMay("edit");
  const policy = useSchemaPolicy();
  const [deletions, setDeletions] = useState(0);
  const reload = () =>
    void onChange().then(() => {
      setDeletions((before) => before + 1);
    });
  const living = subject.versions.filter((version) => !version.deleted);
  const newest = living[0] ?? subject.versions[0];
  return (
    <Page
      title={subject.name}
      parent={{ label: "Schemas", href: "/schemas" }}
      actions={
        mayEdit && (
          <DeleteSchema
            subject={subject.name}
            version={null}
            hidden={living.length === 0}
            last={living.length === 0 || !deleted}
            onDone={reload}
          />
        )
      }
    >
      <DescriptionList>
        <DescriptionItem label="Latest" note={newest && <>Schema ID {newest.id}</>}>
          version {newest?.version}
        </DescriptionItem>
        <DescriptionItem label="Schema type">
          {newest?.schema_type === "JSON" ? "JSON Schema" : "Avro"}
        </DescriptionItem>
        <DescriptionItem
          label="Compatibility"
          note={`${subject.level}${subject.own_level ? "" : ", default"}`}
        >
          {levelText(subject.level)}
        </DescriptionItem>
        <DescriptionItem
          label="Mode"
          term="Registry mode"
          note={`${subject.mode}${subject.own_mode ? "" : ", default"}`}
        >
          {modeText(subject.mode)}
        </DescriptionItem>
        <DescriptionItem label="Used by streams">
          {subject.streams.length
            ? subject.streams.map((name) => (
                <span key={name}>
                  <Link href={`/streams/${name}`}>{name}</Link>{" "}
                </span>
              ))
            : "no stream"}
        </DescriptionItem>
      </DescriptionList>
      {living.length === 0 && (
        <p role="status">
          <Badge tone="warn" plain>
            Deleted
          </Badge>{" "}
          All versions of this subject are deleted. You can register a new one; version numbers continue.
        </p>
      )}
      {mayEdit && newest && (
        <Panel title="New version">
          <NewVersionForm
            // Another form after a deletion: a draft never goes back to an earlier version by itself.
            key={`${subject.name} ${String(deletions)}`}
            version={newest.version}
            subject={subject.name}
            kind={newest.schema_type}
            text={formatSchema(newest.schema)}
            references={newest.references}
          />
        </Panel>
      )}
      <Panel title="Compatibility and mode">
        <PolicyForm
          subject={subject.name}
          level={subject.own_level}
          mode={subject.own_mode}
          ofAll={{ level: policy.data?.level ?? "", mode: policy.data?.mode ?? "" }}
        />
      </Panel>
      <Panel
        title={counted(subject.versions.length, "version")}
        flush
        aside={
          <Checkbox
            size="xs"
            label="Show deleted versions"
            checked={deleted}
            onChange={(e) => {
              onDeleted(e.currentTarget.checked);
            }}
          />
        }
      >
        {subject.versions.map((version) => (
          <OneVersion
            key={version.version}
            subject={subject.name}
            version={version}
            last={subject.versions.length === 1 || (living.length === 1 && !deleted)}
            onChange={reload}
          />
        ))}
      </Panel>
    </Page>
  );
}

function OneVersion({
  subject,
  version,
  last,
  onChange,
}: {
  subject: string;
  version: RegisteredSchema;
  last: boolean;
  onChange: () => void;
}) {
  const mayEdit = useMay("edit");
  return (
    <details className={classes["version"]}>
      <summary>
        <strong>Version {version.version}</strong>{" "}
        {version.deleted && (
          <Badge tone="warn" plain>
            deleted
          </Badge>
        )}{" "}
        <span className="soft">
          schema ID {version.id}, registered <Ago at={version.created_at} />
        </span>
      </summary>
      {version.references.length > 0 && (
        <p className="soft">
          References{" "}
          {version.references.map(({ name, subject: other, version: number }, at) => (
            <span key={name}>
              {at > 0 && ", "}
              <Link href={`/schemas/${encodeURIComponent(other)}`}>{other}</Link> version {number} as{" "}
              <code>{name}</code>
            </span>
          ))}
          .
        </p>
      )}
      {version.referenced_by.length > 0 && (
        <p className="soft">
          Referenced by{" "}
          {version.referenced_by.map(({ subject: other, version: number }, at) => (
            <span key={`${other} ${String(number)}`}>
              {at > 0 && ", "}
              <Link href={`/schemas/${encodeURIComponent(other)}`}>{other}</Link> version {number}
            </span>
          ))}
          ; can't be deleted while referenced.
        </p>
      )}
      {version.schema ? (
        <pre tabIndex={0}>{formatSchema(version.schema)}</pre>
      ) : (
        <p className="soft">
          The schemas of this subject are too large to show all of them. Read this one with the registry API.
        </p>
      )}
      {mayEdit && (
        <div className={classes["after"]}>
          <DeleteSchema
            subject={subject}
            version={version.version}
            hidden={version.deleted}
            last={last}
            onDone={onChange}
          />
        </div>
      )}
    </details>
  );
}

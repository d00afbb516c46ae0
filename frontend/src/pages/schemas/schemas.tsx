import { Button, Checkbox } from "@mantine/core";
import { Link } from "wouter";
import { useSchemaPolicy, useSubjects } from "../../api/schemas";
import type { SubjectRow } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { useUrlState } from "../../ui/url-state";
import { counted } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { QueryResult } from "../../ui/query-result";
import { Page, Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import { Table, type Column } from "../../ui/table";
import { Ago } from "../../ui/time";
import { levelText } from "./compatibility-levels";
import { PolicyForm } from "./policy-form";

const COLUMNS: readonly Column<SubjectRow>[] = [
  {
    name: "Subject",
    cell: ({ name, deleted }) => (
      <>
        <Link href={`/schemas/${encodeURIComponent(name)}${deleted ? "?deleted=1" : ""}`}>
          <strong>{name}</strong>
        </Link>{" "}
        {deleted && (
          <Badge tone="warn" plain>
            deleted
          </Badge>
        )}
      </>
    ),
  },
  {
    name: "Latest",
    cell: ({ newest, versions, deleted }) => (
      <>
        version {newest}{" "}
        <span className="soft">{deleted ? "all deleted" : `of ${counted(versions, "version")}`}</span>
      </>
    ),
  },
  { name: "Compatibility", wideOnly: true, cell: ({ level }) => levelText(level) },
  {
    name: "Used by streams",
    cell: ({ streams }) =>
      streams.length ? (
        streams.map((name) => (
          <div key={name}>
            <Link href={`/streams/${name}`}>{name}</Link>
          </div>
        ))
      ) : (
        <span className="soft">no stream</span>
      ),
  },
  { name: "Updated", wideOnly: true, cell: ({ changed_at }) => <Ago at={changed_at} /> },
];

export function SchemasPage() {
  const [deleted, setDeleted] = useUrlState("deleted", "");
  const subjects = useSubjects(deleted === "1");
  const policy = useSchemaPolicy();
  const mayEdit = useMay("edit");
  const register = (
    <Button component={Link} href="/new-schema" leftSection={<Icon name="plus" size={14} />}>
      Register a schema
    </Button>
  );
  return (
    <Page
      title="Schemas"
      parent={{ label: "Streams", href: "/streams" }}
      actions={mayEdit ? register : undefined}
    >
      <QueryResult query={subjects} what="schemas">
        {({ results }) => (
          <Panel
            title={counted(results.length, "subject")}
            flush
            aside={
              <Checkbox
                size="xs"
                label="Show deleted subjects"
                checked={deleted === "1"}
                onChange={(e) => {
                  setDeleted(e.currentTarget.checked ? "1" : null);
                }}
              />
            }
          >
            {results.length ? (
              <Table label="Subjects" columns={COLUMNS} rows={results} rowKey={({ name }) => name} />
            ) : (
              <Empty title="No schemas yet" action={mayEdit ? register : undefined}>
                Producers register schemas here (Confluent-compatible API at /registry/), or add one yourself.
              </Empty>
            )}
          </Panel>
        )}
      </QueryResult>
      <Panel title="Default compatibility and mode">
        <QueryResult query={policy} what="defaults">
          {({ level = "", mode = "" }) => <PolicyForm subject={null} level={level} mode={mode} />}
        </QueryResult>
      </Panel>
    </Page>
  );
}

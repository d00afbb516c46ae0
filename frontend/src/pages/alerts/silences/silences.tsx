import { Button } from "@mantine/core";
import { useState } from "react";
import { useEndSilence, useSilences } from "../../../api/alerts";
import type { Silence } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { Icon } from "../../../ui/icons";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { RequestError } from "../../../ui/request-error";
import { Badge } from "../../../ui/status";
import { Table, type Column } from "../../../ui/table";
import { Time, useNow } from "../../../ui/time";
import { SilenceForm } from "./silence-form";

/** Silences of now, and maintenance that is planned. */
export function SilencesTab() {
  const query = useSilences();
  const mayEdit = useMay("edit");
  const [creating, setCreating] = useState(false);
  const end = useEndSilence();
  const now = useNow();
  const create = mayEdit && (
    <Button
      leftSection={<Icon name="plus" size={14} />}
      onClick={() => {
        setCreating(true);
      }}
    >
      New silence
    </Button>
  );
  const columns: Column<Silence>[] = [
    { name: "For", cell: (silence) => <strong>{aboutText(silence)}</strong> },
    {
      name: "State",
      cell: ({ starts_at }) =>
        Date.parse(starts_at) > now ? (
          <Badge tone="idle" plain>
            Planned
          </Badge>
        ) : (
          <Badge tone="warn" plain>
            Active
          </Badge>
        ),
    },
    { name: "From", cell: ({ starts_at }) => <Time at={starts_at} /> },
    { name: "Until", cell: ({ ends_at }) => <Time at={ends_at} /> },
    { name: "Note", wideOnly: true, cell: ({ note }) => note || "–" },
    { name: "Created by", wideOnly: true, cell: ({ created_by }) => created_by },
    ...(mayEdit
      ? [
          {
            name: "Actions",
            unnamed: true,
            numeric: true,
            cell: ({ id }: Silence) => (
              <Button
                data-removes
                variant="subtle"
                color="gray"
                loading={end.isPending && end.variables === id}
                onClick={() => {
                  end.mutate(id);
                }}
              >
                End now
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <RequestError what="Couldn't end the silence" error={end.error} />
      <Panel title="Silences and maintenance" aside={create} flush>
        <QueryResult query={query} what="silences">
          {({ results }) =>
            results.length ? (
              <Table label="Silences" rows={results} rowKey={({ id }) => id} columns={columns} />
            ) : (
              <Empty title="Nothing is silenced" action={create}>
                A silence holds back notifications for a time. Alerts are evaluated and shown all the same,
                and what still fires at its end is sent then.
              </Empty>
            )
          }
        </QueryResult>
      </Panel>
      {creating && (
        <SilenceForm
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
    </>
  );
}

function aboutText({ alert, rule, job }: Silence): string {
  if (alert !== null) return `Alert: ${alert}`;
  if (rule !== null) return `Rule ${rule}`;
  return job === null ? "Whole workspace" : `Job ${job}`;
}

import { Button, Modal, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { Link, useLocation } from "wouter";
import { useCreateDashboard, useDashboards } from "../../api/dashboards";
import type { DashboardSummary } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { count } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { heldOpen } from "../../ui/open-dialog";
import { Page, Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { QueryResult } from "../../ui/query-result";
import { RequestError } from "../../ui/request-error";
import { Table } from "../../ui/table";
import { Time } from "../../ui/time";

export function DashboardsPage() {
  const query = useDashboards();
  const mayEdit = useMay("edit");
  const [creating, setCreating] = useState(false);
  const create = mayEdit ? (
    <Button
      leftSection={<Icon name="plus" size={14} />}
      onClick={() => {
        setCreating(true);
      }}
    >
      New dashboard
    </Button>
  ) : undefined;
  return (
    <Page title="Dashboards" actions={create}>
      <Panel flush>
        <QueryResult query={query} what="dashboards">
          {({ results }) =>
            results.length ? (
              <List dashboards={results} />
            ) : (
              <Empty title="No dashboards yet" action={create}>
                A dashboard shows live results of several jobs as charts, numbers and lists.
              </Empty>
            )
          }
        </QueryResult>
      </Panel>
      <NewDashboard
        opened={creating}
        onClose={() => {
          setCreating(false);
        }}
      />
    </Page>
  );
}

function List({ dashboards }: { dashboards: readonly DashboardSummary[] }) {
  return (
    <Table
      label="Dashboards"
      rows={dashboards}
      rowKey={({ id }) => id}
      columns={[
        {
          name: "Name",
          cell: ({ id, name }) => (
            <Link href={`/dashboards/${id}`}>
              <strong>{name}</strong>
            </Link>
          ),
        },
        { name: "Panels", numeric: true, cell: ({ panels }) => count(panels) },
        { name: "Last changed", cell: ({ changed_at }) => <Time at={changed_at} /> },
        { name: "Changed by", wideOnly: true, cell: ({ changed_by }) => changed_by || "–" },
      ]}
    />
  );
}

export function NewDashboard({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [name, setName] = useState("");
  const [, navigate] = useLocation();
  const create = useCreateDashboard();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { name, document: { format: 1, window: "15m", filters: [], panels: [] } },
      {
        onSuccess: ({ id }) => {
          navigate(`/dashboards/${id}?edit=1`);
        },
      },
    );
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      {...heldOpen(create.isPending)}
      title={<strong>New dashboard</strong>}
    >
      <form onSubmit={submit} style={{ display: "grid", gap: 16 }}>
        <TextInput
          label="Name"
          required
          data-autofocus
          maxLength={100}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <RequestError what="Couldn't create the dashboard" error={create.error} />
        <div style={{ display: "flex", gap: 8, justifyContent: "flex-end" }}>
          <Button variant="default" disabled={create.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create dashboard
          </Button>
        </div>
      </form>
    </Modal>
  );
}

import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { useDeleteObjective, useObjectives } from "../../../api/objectives";
import type { Objective } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { Confirm } from "../../../ui/confirm";
import { Icon } from "../../../ui/icons";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { Table, type Column } from "../../../ui/table";
import { useUrlState } from "../../../ui/url-state";
import { ObjectiveCharts } from "./objective-charts";
import { ObjectiveForm } from "./objective-form";
import { burnText, objectiveText, percent } from "./texts";
import classes from "../alerts.module.css";

export function ObjectivesTab() {
  const query = useObjectives();
  const mayEdit = useMay("edit");
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Objective | null>(null);
  const [shown, setShown] = useUrlState("objective", "");
  const create = mayEdit && (
    <Button
      leftSection={<Icon name="plus" size={14} />}
      onClick={() => {
        setCreating(true);
      }}
    >
      New objective
    </Button>
  );
  const columns: Column<Objective>[] = [
    {
      name: "Objective",
      cell: (objective) => (
        <div className={classes["alert"]}>
          <Link href={`/jobs/${objective.job_id}`}>
            <strong>{objective.job}</strong>
          </Link>
          <span className="soft">{objectiveText(objective)}</span>
          <div className={classes["narrowOnly"]}>
            <Left left={objective.budget.left} />
          </div>
        </div>
      ),
    },
    {
      name: "Attained",
      numeric: true,
      wideOnly: true,
      cell: ({ budget }) => (budget.attained === null ? "–" : percent(budget.attained)),
    },
    { name: "Budget left", wideOnly: true, cell: ({ budget }) => <Left left={budget.left} /> },
    {
      name: "Burn rate",
      term: "Burn rate",
      wideOnly: true,
      cell: ({ budget }) => burnText(budget),
    },
    {
      name: "Actions",
      unnamed: true,
      numeric: true,
      cell: (objective) => (
        <div className={classes["rowActions"]}>
          <Button
            variant="default"
            aria-pressed={shown === objective.id}
            aria-label={`History of the objective of ${objective.job}`}
            onClick={() => {
              setShown(shown === objective.id ? null : objective.id);
            }}
          >
            History
          </Button>
          {mayEdit && (
            <Button
              data-removes
              variant="subtle"
              color="gray"
              onClick={() => {
                setDeleting(objective);
              }}
            >
              Delete
            </Button>
          )}
        </div>
      ),
    },
  ];
  return (
    <>
      <Panel title="Objectives" aside={create} flush>
        <QueryResult query={query} what="objectives">
          {({ results }) =>
            results.length ? (
              <Table label="Objectives" rows={results} rowKey={({ id }) => id} columns={columns} />
            ) : (
              <Empty title="No objectives yet" action={create}>
                An objective says how fresh, complete or available a result should be, and how much of the
                time.
              </Empty>
            )
          }
        </QueryResult>
      </Panel>
      <Deletion
        objective={deleting}
        onClose={() => {
          setDeleting(null);
        }}
      />
      {shown !== "" && <ObjectiveCharts key={shown} id={shown} />}
      {creating && (
        <ObjectiveForm
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
    </>
  );
}

function Deletion({ objective, onClose }: { objective: Objective | null; onClose: () => void }) {
  const remove = useDeleteObjective();
  return (
    <Confirm
      opened={objective !== null}
      onClose={onClose}
      title={`Delete this objective of ${objective?.job ?? ""}?`}
      verb="Delete objective"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        if (objective) remove.mutate(objective.id, { onSuccess: onClose });
      }}
    >
      <p>{objective && objectiveText(objective)}</p>
      <p>Its history and its budget are deleted, too. This can't be undone.</p>
    </Confirm>
  );
}

function Left({ left }: { left: number | null }) {
  if (left === null) return <span className="soft">Not judged yet</span>;
  const shown = Math.max(0, Math.min(1, left));
  return (
    <span className={classes["budget"]}>
      <span className={classes["bar"]} {...(left < 0.25 && { "data-low": true })} aria-hidden="true">
        <span style={{ width: `${String(shown * 100)}%` }} />
      </span>
      {left < 0 ? `Overspent by ${percent(-left)}` : percent(left)}
    </span>
  );
}

import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { useDeleteObjective, useObjectives } from "../../../api/objectives";
import type { Objective } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { Icon } from "../../../ui/icons";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { RequestError } from "../../../ui/request-error";
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
  const remove = useDeleteObjective();
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
      cell: ({ id, job }) => (
        <div className={classes["rowActions"]}>
          <Button
            variant="default"
            aria-pressed={shown === id}
            aria-label={`History of the objective of ${job}`}
            onClick={() => {
              setShown(shown === id ? null : id);
            }}
          >
            History
          </Button>
          {mayEdit && (
            <Button
              variant="subtle"
              color="gray"
              loading={remove.isPending && remove.variables === id}
              onClick={() => {
                remove.mutate(id);
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
      <RequestError what="Couldn't delete the objective" error={remove.error} />
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

import { useMemo } from "react";
import { useJobMarks } from "../../../api/history";
import { useObjective } from "../../../api/objectives";
import type { ObjectiveHistory } from "../../../api/types";
import { HistoryChart } from "../../../charts/history-chart";
import { MarkList } from "../../../history/mark-list";
import { chartMarks } from "../../../history/marks";
import { MAX_MINUTES } from "../../../history/range";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { budgetHistory } from "./budget-history";
import { objectiveText, percent } from "./texts";
import classes from "../alerts.module.css";

/** Budget and burn of one objective over its window. */
export function ObjectiveCharts({ id }: { id: string }) {
  const query = useObjective(id);
  return (
    <QueryResult query={query} what="the objective's history">
      {(objective) => <Charts objective={objective} />}
    </QueryResult>
  );
}

function Charts({ objective }: { objective: ObjectiveHistory }) {
  const { times, left, burn } = useMemo(() => budgetHistory(objective), [objective]);
  const minutes = Math.min(MAX_MINUTES, objective.window_days * 1_440);
  const marks = useJobMarks(objective.job_id, { minutes, until: null, ago: 0 });
  const drawn = useMemo(() => chartMarks(marks.data?.results ?? []), [marks.data]);
  const title = `${objective.job}: ${objectiveText(objective)}`;
  if (times.length === 0)
    return (
      <Panel title={title}>
        <Empty title="Not judged yet">
          An objective is judged while its job should run. The first point appears within minutes.
        </Empty>
      </Panel>
    );
  const [from = 0] = times;
  const until = (times.at(-1) ?? from) + objective.part_s;
  const common = { times, sync: "objective", pause: objective.part_s * 2.5, from, until, marks: drawn };
  return (
    <>
      <h2>{title}</h2>
      <div className={classes["charts"]}>
        <Panel title="Error budget left">
          <HistoryChart
            {...common}
            lines={[{ label: "Left", values: left }]}
            write={percent}
            label={`Error budget left over the window; latest ${percent(left.at(-1) ?? 1)}`}
          />
        </Panel>
        <Panel title="Burn rate">
          <HistoryChart
            {...common}
            lines={[{ label: "Burn rate", values: burn }]}
            write={timesText}
            label={`Burn rate over the window; greatest ${timesText(Math.max(...burn))}`}
          />
        </Panel>
      </div>
      <MarkList query={marks} />
    </>
  );
}

function timesText(rate: number): string {
  return `${String(Number(rate.toFixed(1)))}×`;
}

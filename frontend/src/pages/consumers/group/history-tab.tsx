import { Select, SegmentedControl } from "@mantine/core";
import { useMemo } from "react";
import { useGroupHistory } from "../../../api/consumer-groups";
import type { GroupDetail, GroupHistory } from "../../../api/types";
import { DURATION_STEPS } from "../../../charts/axes";
import { HistoryChart, type HistoryLine } from "../../../charts/history-chart";
import { seconds } from "../../../ui/format/durations";
import { counted, measured } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { useUrlState } from "../../../ui/url-state";
import { aligned, COMPARED, RANGES, healthSpans } from "./ranges";
import { HEALTH } from "../health";
import classes from "../consumers.module.css";

type Quantity = "lag_seconds" | "lag_records" | "in_rate" | "out_rate";

/** Lag, rates and judged of a range, beside those of yesterday or last week. */
export function HistoryTab({ group }: { group: GroupDetail }) {
  const [range, setRange] = useUrlState("range", "60");
  const [compared, setCompared] = useUrlState("compare", "0");
  const [topic, setTopic] = useUrlState("topic", "");
  const minutes = Number.parseInt(range, 10) || 60;
  const ago = Number.parseInt(compared, 10) || 0;
  const now = useGroupHistory(group.cluster, group.name, { minutes, ago: 0, topic });
  const before = useGroupHistory(group.cluster, group.name, { minutes, ago, topic }, ago > 0);
  return (
    <>
      <div className={classes["row"]}>
        <SegmentedControl aria-label="Range" data={RANGES} value={range} onChange={setRange} />
        <Select
          aria-label="Compare with"
          allowDeselect={false}
          data={COMPARED}
          value={compared}
          onChange={setCompared}
        />
        {group.topics.length > 1 && (
          <Select
            aria-label="Topic"
            placeholder="All topics"
            clearable
            data={group.topics}
            value={topic || null}
            onChange={setTopic}
          />
        )}
      </div>
      <QueryResult query={now} what="history">
        {(history) => (
          <Charts
            history={history}
            before={ago ? before.data : undefined}
            ago={ago}
            compared={COMPARED.find(({ value }) => value === compared)?.label ?? ""}
          />
        )}
      </QueryResult>
    </>
  );
}

interface ChartsProps {
  history: GroupHistory;
  before: GroupHistory | undefined;
  ago: number;
  compared: string;
}

function Charts({ history, before, ago, compared }: ChartsProps) {
  const { points, resolution_s } = history;
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points]);
  if (points.length < 2)
    return (
      <Panel>
        <Empty title="No history yet">
          A point is kept every 10 s for an hour, every minute for a day and every 15 min for 30 days.
        </Empty>
      </Panel>
    );
  const lines = (names: readonly (readonly [string, Quantity])[]): HistoryLine[] => [
    ...names.map(([label, quantity]) => ({ label, values: points.map((point) => point[quantity]) })),
    ...(before
      ? names.map(([label, quantity]) => ({
          label: `${label}, ${compared.toLowerCase()}`,
          values: aligned(times, before, ago * 60, quantity),
        }))
      : []),
  ];
  const common = { times, sync: "group", pause: resolution_s * 2.5 };
  return (
    <>
      <p className="soft">
        {counted(points.length, "point")}, {seconds(resolution_s)} apart; each shows the greatest lag and the
        mean rates of its time.{" "}
        {ago > 0 && before?.points.length === 0 && `Nothing was measured ${compared.toLowerCase()}.`}
      </p>
      <HealthShares history={history} />
      <div className={classes["charts"]}>
        <Panel title="Consumer lag (time)">
          <HistoryChart
            {...common}
            lines={lines([["Lag", "lag_seconds"]])}
            write={seconds}
            steps={DURATION_STEPS}
            label="Consumer lag over time"
          />
        </Panel>
        <Panel title="Consumer lag (records)">
          <HistoryChart
            {...common}
            lines={lines([["Records", "lag_records"]])}
            write={measured}
            label="Consumer lag in records"
          />
        </Panel>
        <Panel title="Rate (records per second)">
          <HistoryChart
            {...common}
            lines={lines([
              ["In", "in_rate"],
              ["Out", "out_rate"],
            ])}
            write={measured}
            label="Records written and read per second"
          />
        </Panel>
      </div>
    </>
  );
}

/** How long each health held in the range. */
function HealthShares({ history }: { history: GroupHistory }) {
  const spans = healthSpans(history);
  return (
    <p>
      {spans.map(({ health, share }, index) => (
        <span key={health}>
          {index > 0 && " · "}
          {HEALTH[health].word} {share}
        </span>
      ))}
    </p>
  );
}

import { Select } from "@mantine/core";
import { useGroupHistory, useGroupMarks } from "../../../api/history";
import type { GroupDetail, GroupHealth, GroupHistory } from "../../../api/types";
import { HistoryCharts, type Chart } from "../../../history/history-charts";
import { LAG_CHARTS } from "../../../history/lag-charts";
import { MarkList } from "../../../history/mark-list";
import { NothingMeasured, PointsText } from "../../../history/points-text";
import { RangeBar, useRange } from "../../../history/range-bar";
import { measured, share } from "../../../ui/format/numbers";
import { QueryResult } from "../../../ui/query-result";
import { RequestError } from "../../../ui/request-error";
import { useUrlState } from "../../../ui/url-state";
import { BY_SEVERITY, HEALTH } from "../../../lag-health/health";

const CHARTS: readonly Chart<keyof GroupHistory["measures"]>[] = [
  ...LAG_CHARTS,
  {
    title: "Rate",
    unit: "records per second",
    write: measured,
    lines: [
      ["In", "in_rate"],
      ["Out", "out_rate"],
    ],
  },
];

/** Lag, rates and health of a range, beside those of yesterday or last week. */
export function HistoryTab({ group }: { group: GroupDetail }) {
  const [range, change] = useRange();
  const [topic, setTopic] = useUrlState("topic", "");
  const history = useGroupHistory(group.cluster, group.name, topic, { ...range, ago: 0 });
  const before = useGroupHistory(group.cluster, group.name, topic, range, range.ago > 0);
  const marks = useGroupMarks(group.cluster, group.name, { ...range, ago: 0 });
  const earlier = range.ago ? before.data : undefined;
  return (
    <>
      <RangeBar range={range} onChange={change}>
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
      </RangeBar>
      <RequestError
        what="Couldn't load the comparison"
        error={range.ago ? before.error : null}
        onRetry={before.refetch}
      />
      <QueryResult query={history} what="history">
        {(read) =>
          read.at.length === 0 ? (
            <NothingMeasured />
          ) : (
            <>
              <PointsText points={read} earlier={earlier} ago={range.ago} />
              <HealthShares history={read} />
              <HistoryCharts
                charts={CHARTS}
                history={read}
                before={earlier}
                range={range}
                marks={marks.data?.results ?? []}
                onChange={change}
              />
            </>
          )
        }
      </QueryResult>
      <MarkList query={marks} />
    </>
  );
}

/** How long each health held in the range. */
function HealthShares({ history }: { history: GroupHistory }) {
  return (
    <p>
      {healthShares(history.health).map(({ health, text }, index) => (
        <span key={health}>
          {index > 0 && " · "}
          {HEALTH[health].word} {text}
        </span>
      ))}
    </p>
  );
}

/** The share of the points that each health has, the worst first. */
export function healthShares(points: readonly GroupHealth[]): { health: GroupHealth; text: string }[] {
  const counts = new Map<GroupHealth, number>();
  for (const health of points) counts.set(health, (counts.get(health) ?? 0) + 1);
  return BY_SEVERITY.flatMap((health) => {
    const count = counts.get(health);
    return count ? [{ health, text: share(count / points.length) }] : [];
  });
}

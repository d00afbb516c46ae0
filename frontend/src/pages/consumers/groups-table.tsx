import { Link } from "wouter";
import type { ListedGroup } from "../../api/types";
import { Sparkline } from "../../charts/sparkline";
import { counted } from "../../ui/format/numbers";
import { Badge } from "../../ui/status";
import { Table, type Column } from "../../ui/table";
import { groupPath } from "./group-path";
import { hotText, lagTime, lossNote, SECONDS_BY } from "../../lag-health/health";
import { HealthBadge } from "../../lag-health/health-badge";
import { Rates } from "./rates";
import classes from "./consumers.module.css";

const MAX_TOPICS = 3;

const CLUSTER: Column<ListedGroup> = {
  name: "Cluster",
  wideOnly: true,
  cell: ({ cluster_name }) => cluster_name,
};

const COLUMNS: readonly Column<ListedGroup>[] = [
  {
    name: "Group",
    term: "Consumer group",
    cell: ({ cluster, name, mirrored_job }) => (
      <>
        <Link
          href={groupPath(cluster, name)}
          className={`${classes["name"] ?? ""} ${classes["group"] ?? ""}`}
        >
          {name}
        </Link>
        {mirrored_job && <div className={classes["sub"]}>mirrors job {mirrored_job}</div>}
      </>
    ),
  },
  {
    name: "Health",
    cell: (group) => (
      <>
        <HealthBadge judged={group} />
        <TimeToLoss group={group} />
        {group.hot && (
          <div className={classes["sub"]} title={hotText(group.hot)}>
            hot partition {group.hot.partition}
          </div>
        )}
      </>
    ),
  },
  {
    name: "Members",
    wideOnly: true,
    cell: ({ state, members, mirrored_job }) =>
      mirrored_job ? (
        <span className="soft">–</span>
      ) : (
        <>
          <span className={classes["members"]}>{members === null ? "–" : counted(members, "member")}</span>
          <div className={classes["sub"]}>{state || "unknown state"}</div>
        </>
      ),
  },
  {
    name: "Topics",
    wideOnly: true,
    cell: ({ topics, denied }) =>
      denied ? (
        <Badge tone="warn" plain>
          No permission to read offsets
        </Badge>
      ) : (
        <div className={classes["topics"]}>
          {topics.slice(0, MAX_TOPICS).join(", ") || <span className="soft">none committed</span>}
          {topics.length > MAX_TOPICS && <span className="soft"> and {topics.length - MAX_TOPICS} more</span>}
        </div>
      ),
  },
  {
    name: "Consumer lag",
    numeric: true,
    cell: ({ lag_records, lag_seconds, seconds_by, trend, name }) => (
      <div className={classes["lag"]}>
        <Sparkline
          values={trend.map(([, records]) => records ?? null)}
          label={`Lag of ${name}, last 30 min`}
        />
        <div title={SECONDS_BY[seconds_by]}>
          {lagTime(lag_seconds, seconds_by)}
          <div className={classes["sub"]}>{counted(lag_records, "record")}</div>
        </div>
      </div>
    ),
  },
  {
    name: "Records/s",
    numeric: true,
    wideOnly: true,
    cell: (group) => <Rates of={group} />,
  },
  {
    name: "Time to loss",
    numeric: true,
    wideOnly: true,
    cell: (group) => {
      const loss = lossNote(group);
      return loss ? (
        <Badge tone={loss.tone} plain>
          {loss.text}
        </Badge>
      ) : (
        <span className="soft">–</span>
      );
    },
  },
];

/** Where there is no column for it. */
function TimeToLoss({ group }: { group: ListedGroup }) {
  const loss = lossNote(group);
  return loss ? <div className={classes["narrowOnly"]}>Time to loss: {loss.text}</div> : null;
}

export function GroupsTable({ groups, clusters }: { groups: readonly ListedGroup[]; clusters: number }) {
  const [first, ...rest] = COLUMNS;
  const columns = clusters > 1 && first ? [first, CLUSTER, ...rest] : COLUMNS;
  return (
    <Table
      label="Consumer groups"
      columns={columns}
      rows={groups}
      rowKey={({ cluster, name }) => `${cluster}/${name}`}
    />
  );
}

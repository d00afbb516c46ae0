import { SegmentedControl } from "@mantine/core";
import { useMemo } from "react";
import { Link } from "wouter";
import type { GroupDetail, GroupPartition } from "../../../api/types";
import { count, counted } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { Badge } from "../../../ui/status";
import { Table, type Column } from "../../../ui/table";
import { useUrlState } from "../../../ui/url-state";
import { BY_SEVERITY, lagTime, lossNote, SECONDS_BY } from "../../../lag-health/health";
import { HealthBadge } from "../../../lag-health/health-badge";
import { Rates } from "../rates";
import classes from "../consumers.module.css";

const ORDERS = [
  { value: "worst", label: "Worst first" },
  { value: "number", label: "By number" },
];
const SHOWN = 500;

function columns(group: GroupDetail): readonly Column<GroupPartition>[] {
  const isHot = ({ topic, partition }: GroupPartition) =>
    group.hot?.topic === topic && group.hot.partition === partition;
  return [
    {
      name: "Topic",
      cell: (part) => (
        <>
          <Link
            href={`/topics/${group.cluster}/${encodeURIComponent(part.topic)}`}
            className={`${classes["name"] ?? ""} ${classes["topic"] ?? ""}`}
          >
            {part.topic}
          </Link>
          <div className={classes["narrowOnly"]}>
            partition {part.partition} {isHot(part) && <Hot />}
          </div>
        </>
      ),
    },
    {
      name: "Partition",
      wideOnly: true,
      cell: (part) => (
        <>
          <strong>{part.partition}</strong>
          {isHot(part) && (
            <>
              {" "}
              <Hot />
            </>
          )}
        </>
      ),
    },
    { name: "Health", cell: (part) => <HealthBadge judged={part} /> },
    { name: "Lag (records)", numeric: true, cell: ({ lag }) => <strong>{count(lag)}</strong> },
    {
      name: "Lag (time)",
      numeric: true,
      cell: ({ seconds, seconds_by }) => (
        <span title={SECONDS_BY[seconds_by]}>{lagTime(seconds, seconds_by)}</span>
      ),
    },
    {
      name: "Records/s",
      numeric: true,
      wideOnly: true,
      cell: (part) => <Rates of={part} />,
    },
    {
      name: "Time to loss",
      numeric: true,
      wideOnly: true,
      cell: (part) => {
        const loss = lossNote(part);
        return loss ? (
          <Badge tone={loss.tone} plain>
            {loss.text}
          </Badge>
        ) : (
          <span className="soft">–</span>
        );
      },
    },
    {
      name: "Log start offset",
      term: "Start offset",
      numeric: true,
      wideOnly: true,
      cell: ({ start }) => count(start),
    },
    { name: "Committed offset", numeric: true, wideOnly: true, cell: ({ committed }) => count(committed) },
    { name: "Log end offset", numeric: true, wideOnly: true, cell: ({ end }) => count(end) },
    {
      name: "Member",
      wideOnly: true,
      cell: ({ owner }) => {
        const member = owner === null ? undefined : group.member_list?.[owner];
        return member ? (
          <span className={classes["member"]}>{member.client_id || member.host}</span>
        ) : (
          <span className="soft">–</span>
        );
      },
    },
  ];
}

function Hot() {
  return (
    <Badge tone="warn" plain>
      hot
    </Badge>
  );
}

const byNumber = (a: GroupPartition, b: GroupPartition) =>
  a.topic.localeCompare(b.topic) || a.partition - b.partition;
const byHealth = (a: GroupPartition, b: GroupPartition) =>
  BY_SEVERITY.indexOf(a.health) - BY_SEVERITY.indexOf(b.health) || b.lag - a.lag || byNumber(a, b);

export function PartitionTable({ group }: { group: GroupDetail }) {
  const [order, setOrder] = useUrlState("order", "worst");
  const rows = useMemo(() => {
    const worst = [...group.partitions].sort(byHealth).slice(0, SHOWN);
    return order === "number" ? worst.sort(byNumber) : worst;
  }, [group.partitions, order]);
  const left = group.partitions_left_out + group.partitions.length - rows.length;
  if (group.denied)
    return (
      <Panel>
        <Empty title="No permission to read offsets">
          Lag is unknown until the cluster&apos;s user can read this group&apos;s offsets.
        </Empty>
      </Panel>
    );
  if (!rows.length)
    return (
      <Panel>
        <Empty title="Nothing committed yet">
          {group.member_list?.length
            ? "The group has members, and none has committed an offset. Lag is known after the first commit."
            : "The group has no members and no committed offsets."}
        </Empty>
      </Panel>
    );
  return (
    <>
      {rows.length > 1 && (
        <div>
          <SegmentedControl
            aria-label="Order of partitions"
            data={ORDERS}
            value={order}
            onChange={setOrder}
          />
        </div>
      )}
      <Panel flush>
        <Table
          label="Partitions"
          columns={columns(group)}
          rows={rows}
          rowKey={({ topic, partition }) => `${topic}/${String(partition)}`}
        />
      </Panel>
      {left > 0 && (
        <p className="soft">
          {counted(left, "more partition")}, less behind, {left === 1 ? "isn't" : "aren't"} listed.
        </p>
      )}
    </>
  );
}

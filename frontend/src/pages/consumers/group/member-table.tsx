import type { GroupDetail, GroupMember } from "../../../api/types";
import { count } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { Table, type Column } from "../../../ui/table";

type Row = GroupMember & { number: number; lag: number | null };

const COLUMNS: readonly Column<Row>[] = [
  {
    name: "Client",
    cell: ({ client_id, instance_id }) => (
      <>
        <strong>{client_id || "–"}</strong>
        {instance_id && <div className="soft">static member {instance_id}</div>}
      </>
    ),
  },
  { name: "Host", cell: ({ host }) => <code>{host || "–"}</code> },
  { name: "Assigned", numeric: true, cell: ({ partitions }) => count(partitions.length) },
  {
    name: "Partitions",
    cell: ({ partitions }) =>
      assignment(partitions) || <span className="soft">none: this member is idle</span>,
  },
  { name: "Lag (records)", numeric: true, cell: ({ lag }) => count(lag) },
];

/** Who reads, and which partitions each has. */
export function MemberTable({ group }: { group: GroupDetail }) {
  const members = group.member_list;
  if (!members?.length)
    return (
      <Panel>
        <Empty title={members ? "No members" : "Members unknown"}>{why(group)}</Empty>
      </Panel>
    );
  const rows = members.map((member, number) => ({
    ...member,
    number,
    lag: lagOf(group, number, member.partitions.length),
  }));
  return (
    <Panel flush>
      <Table label="Members" columns={COLUMNS} rows={rows} rowKey={({ number }) => number} />
    </Panel>
  );
}

/** Null: of its partitions none has a known position. */
function lagOf({ partitions }: GroupDetail, member: number, assigned: number): number | null {
  const own = partitions.filter(({ owner }) => owner === member);
  return assigned && !own.length ? null : own.reduce((sum, { lag }) => sum + lag, 0);
}

function why({ mirrored_job, member_list }: GroupDetail): string {
  if (mirrored_job) return "Weir commits the positions of a job here; nobody reads with this group.";
  if (member_list) return "Nobody reads with this group now. Spark and Flink commit without being members.";
  return "The broker hasn't listed them yet, or the cluster's user may not describe this group.";
}

/** `orders 0–3, 7; payments 1`. */
export function assignment(partitions: readonly { topic: string; partition: number }[]): string {
  const byTopic = new Map<string, number[]>();
  for (const { topic, partition } of partitions)
    byTopic.set(topic, [...(byTopic.get(topic) ?? []), partition]);
  return [...byTopic]
    .map(([topic, numbers]) => `${topic} ${ranges(numbers.sort((a, b) => a - b))}`)
    .join("; ");
}

function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? String(from) : `${String(from)}–${String(to)}`)).join(", ");
}

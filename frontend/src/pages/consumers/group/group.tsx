import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { useGroup, useLiveGroup } from "../../../api/consumer-groups";
import type { GroupDetail } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { seconds } from "../../../ui/format/durations";
import { count, counted, rate } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { Page, Panel, Tabs } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryPage } from "../../../ui/query-result";
import { Badge } from "../../../ui/status";
import { Ago, useNow } from "../../../ui/time";
import { NotFoundPage } from "../../not-found";
import { groupPath } from "../group-path";
import { hotText, lagTime, lossNote, SECONDS_BY, healthNote, HEALTH } from "../../../lag-health/health";
import { DeleteGroup } from "./delete-group";
import { HistoryTab } from "./history-tab";
import { MemberTable } from "./member-table";
import { MoveOffsets } from "./move-offsets";
import { asOf } from "./as-of";
import { PartitionTable } from "./partition-table";
import classes from "../consumers.module.css";

export function GroupPage({ cluster, name, tab }: { cluster: string; name: string; tab: string }) {
  const group = useGroup(cluster, name);
  return (
    <QueryPage query={group} what="consumer group">
      {(detail) => <OneGroup key={groupPath(detail.cluster, detail.name)} read={detail} tab={tab} />}
    </QueryPage>
  );
}

const TABS = [
  { path: "", label: "Partitions" },
  { path: "members", label: "Members" },
  { path: "history", label: "History" },
] as const;

function OneGroup({ read, tab }: { read: GroupDetail; tab: string }) {
  const { group, deleted, passedAt, error } = useLiveGroup(read);
  const at = asOf(group, passedAt);
  const note = healthNote(group, useNow());
  if (!TABS.some(({ path }) => path === tab)) return <NotFoundPage />;
  if (deleted)
    return (
      <Page title={read.name} parent={{ label: "Consumers", href: "/consumers" }}>
        <Panel>
          <Empty
            title="Consumer group deleted"
            action={
              <Button component={Link} href="/consumers" variant="default">
                Go to consumers
              </Button>
            }
          >
            The cluster no longer has this group. Kafka also removes a group&apos;s offsets some days after
            its last member left.
          </Empty>
        </Panel>
      </Page>
    );
  return (
    <Page
      title={group.name}
      parent={{ label: "Consumers", href: "/consumers" }}
      actions={<Actions group={group} />}
    >
      <p className={classes["notice"]}>
        <Badge tone={HEALTH[group.health].tone}>{HEALTH[group.health].word}</Badge>{" "}
        {note && <strong>{note}.</strong>} <span>{HEALTH[group.health].means}</span>{" "}
        {at && (
          <span className="soft">
            As of <Ago at={at} />.
          </span>
        )}
      </p>
      <Notices group={group} error={error} />
      <Facts group={group} />
      <Tabs base={groupPath(group.cluster, group.name)} tabs={TABS} label="Parts of the group" />
      {tab === "" && <PartitionTable group={group} />}
      {tab === "members" && <MemberTable group={group} />}
      {tab === "history" && <HistoryTab group={group} />}
    </Page>
  );
}

function Actions({ group }: { group: GroupDetail }) {
  const [open, setOpen] = useState<"move" | "delete" | null>(null);
  const may = useMay("move_offsets");
  const close = () => {
    setOpen(null);
  };
  if (!may || group.mirrored_job) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="trash" size={14} />}
        onClick={() => {
          setOpen("delete");
        }}
      >
        Delete group
      </Button>
      <Button
        leftSection={<Icon name="move" size={14} />}
        onClick={() => {
          setOpen("move");
        }}
      >
        Move offsets
      </Button>
      {open === "move" && <MoveOffsets group={group} onClose={close} />}
      {open === "delete" && <DeleteGroup group={group} onClose={close} />}
    </>
  );
}

/** What an operator has to know before the numbers. */
function Notices({ group, error }: { group: GroupDetail; error: string }) {
  return (
    <>
      {error && (
        <p role="alert" className={classes["notice"]}>
          <Badge tone="bad" plain>
            {group.cluster_name} can&apos;t be read
          </Badge>{" "}
          {error}
        </p>
      )}
      {group.mirrored_job && (
        <p className={classes["notice"]}>
          <Badge tone="idle" plain>
            Mirror
          </Badge>{" "}
          Weir commits the positions of job{" "}
          {group.job_id ? (
            <Link href={`/jobs/${group.job_id}/lag`}>{group.mirrored_job}</Link>
          ) : (
            group.mirrored_job
          )}{" "}
          here for Kafka tools. It has no members, and moving it wouldn&apos;t move the job.
        </p>
      )}
      {group.denied && (
        <p className={classes["notice"]}>
          <Badge tone="warn" plain>
            No permission
          </Badge>{" "}
          The cluster&apos;s user can&apos;t read this group&apos;s offsets. It needs DESCRIBE on the group
          and its topics.
        </p>
      )}
      {group.hot && (
        <p className={classes["notice"]}>
          <Badge tone="warn" plain>
            Hot partition
          </Badge>{" "}
          {hotText(group.hot)}
        </p>
      )}
      {group.has_hidden && (
        <p className="soft">This group also reads topics that aren&apos;t visible in this workspace.</p>
      )}
    </>
  );
}

function Facts({ group }: { group: GroupDetail }) {
  const loss = lossNote(group);
  return (
    <DescriptionList>
      <DescriptionItem label="Consumer lag" note={`${counted(group.lag_records, "record")} behind`}>
        <span title={SECONDS_BY[group.seconds_by]}>{lagTime(group.lag_seconds, group.seconds_by)}</span>
      </DescriptionItem>
      <DescriptionItem label="Rate in" note={`out ${rate(group.out_rate, "records")}`}>
        {rate(group.in_rate, "records")}
      </DescriptionItem>
      {group.health === "catching_up" && (
        <DescriptionItem label="Time to catch up" note="at the current rates">
          {group.catch_up_s === null ? "–" : `~${seconds(group.catch_up_s)}`}
        </DescriptionItem>
      )}
      {loss && (
        <DescriptionItem
          label="Time to loss"
          note={
            group.lost_records ? `${counted(group.lost_records, "record")} lost` : "earliest, by retention"
          }
        >
          <Badge tone={loss.tone} plain>
            {loss.text}
          </Badge>
        </DescriptionItem>
      )}
      <DescriptionItem
        label="Group state"
        note={group.protocol === "consumer" ? "KIP-848" : "classic protocol"}
      >
        {group.state || "–"}
      </DescriptionItem>
      <DescriptionItem label="Members" note={`on ${group.cluster_name}`}>
        {group.mirrored_job ? "–" : count(group.members)}
      </DescriptionItem>
    </DescriptionList>
  );
}

import { Button, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { useDeleteTopic, useTopic } from "../../api/topics";
import type { TopicDetail } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { useUrlState } from "../../ui/url-state";
import { Confirm } from "../../ui/confirm";
import { DescriptionItem, DescriptionList } from "../../ui/description-list";
import { bytes, count, counted } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { QueryPage } from "../../ui/query-result";
import { Page, Panel, Tabs } from "../../ui/page";
import { Badge } from "../../ui/status";
import { Table, type Column } from "../../ui/table";
import { NotFoundPage } from "../not-found";
import { Browse } from "../stream/browse";
import { LiveTail } from "../stream/live-tail";
import { retentionText } from "../topics/retention";
import { SettingsForm } from "./settings-form";

type Partition = TopicDetail["partitions"][number];

/** Null while the partition has no leader. */
const retained = ({ start, end }: Partition) => (start === null || end === null ? null : end - start);

/** Of all partitions; null while one has no leader. */
function retainedByAll(partitions: readonly Partition[]): number | null {
  return partitions.map(retained).reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0);
}

const PARTITIONS: readonly Column<Partition>[] = [
  { name: "Partition", cell: ({ partition }) => <strong>{partition}</strong> },
  { name: "Retained records", numeric: true, cell: (one) => count(retained(one)) },
  { name: "Start offset", numeric: true, cell: ({ start }) => count(start) },
  { name: "End offset", term: "Log end offset", numeric: true, cell: ({ end }) => count(end) },
  {
    name: "Leader",
    cell: ({ leader }) =>
      leader < 0 ? (
        <Badge tone="bad" plain>
          none
        </Badge>
      ) : (
        `broker ${String(leader)}`
      ),
  },
  {
    name: "In-sync replicas",
    cell: ({ in_sync, replicas }) =>
      in_sync < replicas ? (
        <Badge tone="warn" plain>
          {in_sync} of {replicas}
        </Badge>
      ) : (
        `${String(in_sync)} of ${String(replicas)}`
      ),
  },
];

function sizeLimit({ retention_bytes }: TopicDetail["settings"]): string {
  if (retention_bytes === null) return "the cluster doesn't tell Weir";
  return retention_bytes < 0 ? "no size limit" : `max ${bytes(retention_bytes)} per partition`;
}

const WAYS = [
  { value: "newest", label: "Newest" },
  { value: "earliest", label: "Oldest" },
  { value: "offset", label: "From offset" },
  { value: "time", label: "From time" },
  { value: "live", label: "Live" },
];

export function TopicPage({ cluster, name, tab }: { cluster: string; name: string; tab: string }) {
  const topic = useTopic(cluster, name);
  return (
    <QueryPage query={topic} what="topic">
      {(detail) => <OneTopic cluster={cluster} topic={detail} tab={tab} />}
    </QueryPage>
  );
}

function OneTopic({ cluster, topic, tab }: { cluster: string; topic: TopicDetail; tab: string }) {
  const [mayEdit, mayBrowse] = [useMay("edit"), useMay("browse_topics")];
  const tabs = [
    { path: "", label: "Partitions" },
    ...(mayBrowse ? [{ path: "records", label: "Records" }] : []),
    ...(mayEdit ? [{ path: "settings", label: "Settings" }] : []),
  ];
  if (!tabs.some(({ path }) => path === tab)) return <NotFoundPage />;
  const kept = retainedByAll(topic.partitions);
  return (
    <Page
      title={topic.name}
      parent={{ label: "Topics", href: `/topics/${cluster}` }}
      actions={mayEdit ? <Remove cluster={cluster} topic={topic} kept={kept} /> : undefined}
    >
      <DescriptionList>
        <DescriptionItem
          label="Retained records"
          note={`in ${counted(topic.partitions.length, "partition")}`}
        >
          {count(kept)}
        </DescriptionItem>
        <DescriptionItem label="Cleanup policy" note={sizeLimit(topic.settings)}>
          {retentionText(topic.settings)}
        </DescriptionItem>
        <DescriptionItem label="Max batch size" note="accepted by the broker">
          {bytes(topic.settings.max_message_bytes)}
        </DescriptionItem>
        <DescriptionItem
          label="Registered as"
          note={topic.jobs.length ? `used by ${topic.jobs.join(", ")}` : "not used by any job"}
        >
          {topic.streams.length
            ? topic.streams.map((stream) => (
                <Link key={stream} href={`/streams/${stream}`}>
                  {stream}{" "}
                </Link>
              ))
            : "no stream"}
        </DescriptionItem>
      </DescriptionList>
      <Tabs
        base={`/topics/${cluster}/${encodeURIComponent(topic.name)}`}
        tabs={tabs}
        label="Parts of the topic"
      />
      {tab === "" && (
        <Panel flush>
          <Table
            label="Partitions"
            columns={PARTITIONS}
            rows={topic.partitions}
            rowKey={({ partition }) => partition}
          />
        </Panel>
      )}
      {tab === "records" && <Records cluster={cluster} topic={topic} />}
      {tab === "settings" && <SettingsForm cluster={cluster} topic={topic} />}
    </Page>
  );
}

function Records({ cluster, topic }: { cluster: string; topic: TopicDetail }) {
  const [from, setFrom] = useUrlState("from", "newest");
  return (
    <>
      <div>
        <SegmentedControl aria-label="Which records" data={WAYS} value={from} onChange={setFrom} />
      </div>
      {from === "live" ? (
        <LiveTail topicRef={{ cluster, topic: topic.name }} topic={topic.name} fields={[]} />
      ) : (
        <Browse
          key={from}
          topicRef={{ cluster, topic: topic.name }}
          partitions={topic.partitions.length}
          fields={[]}
          from={from}
        />
      )}
    </>
  );
}

function Remove({ cluster, topic, kept }: { cluster: string; topic: TopicDetail; kept: number | null }) {
  const [confirming, setConfirming] = useState(false);
  const remove = useDeleteTopic(cluster);
  const { refetch } = useTopic(cluster, topic.name);
  // The records to be lost are counted again: the number on the page may be some seconds old.
  const ask = () => {
    setConfirming(true);
    void refetch();
  };
  const [, navigate] = useLocation();
  return (
    <>
      <Button variant="default" leftSection={<Icon name="trash" size={14} />} onClick={ask}>
        Delete
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => {
          setConfirming(false);
        }}
        title={`Delete topic ${topic.name}?`}
        verb="Delete topic"
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => {
          remove.mutate(topic.name, {
            onSuccess: () => {
              navigate(`/topics/${cluster}`);
            },
          });
        }}
      >
        <p>
          Deletes the topic and {kept === null ? "all its records" : counted(kept, "record")} for every user
          of the cluster. This can't be undone.
        </p>
        {topic.jobs.length > 0 && (
          <p>
            {topic.jobs.join(", ")} {topic.jobs.length === 1 ? "uses" : "use"} this topic, so it can't be
            deleted.
          </p>
        )}
      </Confirm>
    </>
  );
}

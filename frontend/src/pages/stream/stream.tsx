import { Button } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useRemoveStream, useStream } from "../../api/streams";
import type { Stream } from "../../api/types";
import { useMay, useWorkspace } from "../../api/workspace-context";
import { Confirm } from "../../ui/confirm";
import { DescriptionItem, DescriptionList } from "../../ui/description-list";
import { count, counted, rate } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { QueryPage } from "../../ui/query-result";
import { Page, Tabs } from "../../ui/page";
import { bodyOf, streamTabsFor, type Bodies, type STREAM_TABS } from "../../ui/shell/pages";
import { durationText, eventTimeText } from "../../ui/labels";
import { NotFoundPage } from "../not-found";
import { ContractTab } from "./contract-tab";
import { DeadLettersLost } from "./dead-letters-lost";
import { DeadLettersTab } from "./dead-letters/dead-letters-tab";
import { ProduceTab } from "./produce/produce-tab";
import { ProfileTab } from "./profile/profile-tab";
import { RecordsTab } from "./records-tab";
import { TableTab } from "./table-tab";
import { UsedByTab } from "./used-by-tab";

const BODIES: Bodies<typeof STREAM_TABS, (stream: Stream) => ReactNode> = {
  "": (stream) => <RecordsTab stream={stream} />,
  rows: (stream) => <TableTab stream={stream} />,
  produce: (stream) => <ProduceTab stream={stream} />,
  contract: (stream) => <ContractTab stream={stream} />,
  profile: (stream) => <ProfileTab stream={stream} />,
  "dead-letters": (stream) => <DeadLettersTab stream={stream} />,
  "used-by": (stream) => <UsedByTab stream={stream} />,
};

export function StreamPage({ name, tab }: { name: string; tab: string }) {
  const query = useStream(name);
  return (
    <QueryPage query={query} what="stream">
      {(stream) => <OneStream stream={stream} tab={tab} />}
    </QueryPage>
  );
}

function OneStream({ stream, tab }: { stream: Stream; tab: string }) {
  const body = bodyOf(BODIES, tab);
  const { rights } = useWorkspace();
  const mayEdit = useMay("edit");
  const tabs = streamTabsFor(stream.kind, rights);
  if (!body || !tabs.some(({ path }) => path === tab)) return <NotFoundPage />;
  return (
    <Page
      title={stream.name}
      parent={{ label: "Streams", href: "/streams" }}
      actions={mayEdit ? <Remove stream={stream} /> : undefined}
    >
      {stream.description && <p className="soft">{stream.description}</p>}
      <DescriptionList>
        <DescriptionItem
          label="Topic"
          note={`${counted(stream.partitions, "partition")} on ${stream.cluster_name}`}
        >
          <Link href={`/topics/${stream.cluster}/${encodeURIComponent(stream.topic)}`}>
            <code>{stream.topic}</code>
          </Link>
        </DescriptionItem>
        <DescriptionItem label="Write rate" note="last minute">
          {rate(stream.rate_per_second, "records")}
        </DescriptionItem>
        <DescriptionItem label="Retained records" note="currently in Kafka">
          {count(stream.records)}
        </DescriptionItem>
        <DescriptionItem
          label="Event time"
          note={
            stream.contract.delay
              ? `watermark delay ${durationText(stream.contract.delay)}`
              : "excluded from watermark"
          }
        >
          {eventTimeText(stream.contract.event_time)}
        </DescriptionItem>
        <DescriptionItem label="Used by" note="jobs in this workspace">
          {counted(stream.used_by.length, "job")}
        </DescriptionItem>
      </DescriptionList>
      <Tabs base={`/streams/${stream.name}`} tabs={tabs} label="Parts of the stream" />
      {body(stream)}
    </Page>
  );
}

function Remove({ stream }: { stream: Stream }) {
  const [confirming, setConfirming] = useState(false);
  const remove = useRemoveStream();
  const [, navigate] = useLocation();
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="trash" size={14} />}
        onClick={() => {
          setConfirming(true);
        }}
      >
        Unregister
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => {
          setConfirming(false);
        }}
        title={`Unregister ${stream.name}?`}
        verb="Unregister"
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => {
          remove.mutate(stream.name, {
            onSuccess: () => {
              navigate("/streams");
            },
          });
        }}
      >
        <p>
          This removes the stream with its contract and stored sample from Weir. Topic{" "}
          <code>{stream.topic}</code> and its records aren't affected.
        </p>
        {confirming && <DeadLettersLost stream={stream.name} />}
        {stream.used_by.length > 0 && (
          <p>
            Used by {counted(stream.used_by.length, "job")}:{" "}
            {stream.used_by.map(({ job_name }) => job_name).join(", ")}.
          </p>
        )}
      </Confirm>
    </>
  );
}

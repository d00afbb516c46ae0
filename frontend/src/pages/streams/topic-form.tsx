import { SegmentedControl, Select, TextInput } from "@mantine/core";
import { useClusters } from "../../api/clusters";
import { useTopics } from "../../api/topics";
import type { Topic } from "../../api/types";
import { counted } from "../../ui/format/numbers";
import { QueryResult } from "../../ui/query-result";
import { NumberField } from "../../ui/number-field";
import { MAX_PARTITIONS } from "../topics/retention";
import { CleanupInput, RetentionInput } from "../topics/topic-inputs";
import { withTopic, type StreamDraft } from "./contract-draft";
import classes from "./register.module.css";

interface TopicFormProps {
  draft: StreamDraft;
  change: (part: Partial<StreamDraft>) => void;
}

export function TopicForm({ draft, change }: TopicFormProps) {
  return (
    <div className={classes["form"]}>
      <ClusterChoice draft={draft} change={change} />
      <SegmentedControl
        aria-label="Existing or new topic"
        data={[
          { value: "use", label: "Existing topic" },
          { value: "create", label: "New topic" },
        ]}
        value={draft.create ? "create" : "use"}
        onChange={(value) => {
          change({ create: value === "create", ...withTopic(draft, "") });
        }}
        style={{ alignSelf: "flex-start" }}
      />
      {draft.create ? (
        <NewTopic draft={draft} change={change} />
      ) : (
        <ExistingTopic draft={draft} change={change} />
      )}
    </div>
  );
}

/** Only where there is a choice. */
function ClusterChoice({ draft, change }: TopicFormProps) {
  const clusters = useClusters().data?.results ?? [];
  if (clusters.length < 2) return null;
  return (
    <Select
      label="Cluster"
      allowDeselect={false}
      data={clusters.map(({ id, name }) => ({ value: id, label: name }))}
      value={draft.cluster}
      onChange={(cluster) => {
        change({ cluster: cluster ?? draft.cluster, ...withTopic(draft, "") });
      }}
      w={280}
    />
  );
}

function NewTopic({ draft, change }: TopicFormProps) {
  return (
    <div className={classes["row"]}>
      <TextInput
        label="Topic name"
        value={draft.topic}
        onChange={(e) => {
          change(withTopic(draft, e.currentTarget.value));
        }}
      />
      <NumberField
        label="Partitions"
        min={1}
        max={MAX_PARTITIONS}
        value={draft.partitions}
        onChange={(partitions) => {
          change({ partitions });
        }}
      />
      <CleanupInput
        value={draft.cleanup}
        onChange={(cleanup) => {
          change({ cleanup });
        }}
      />
      {draft.cleanup !== "compact" && (
        <RetentionInput
          value={draft.retentionHours}
          onChange={(retentionHours) => {
            change({ retentionHours });
          }}
        />
      )}
      {draft.kind === "stream" && draft.cleanup !== "delete" && (
        <p className="soft">
          Compaction keeps only the latest record per key, so jobs started later miss older records. Kafka
          rejects records without a key.
        </p>
      )}
    </div>
  );
}

function topicText({ partitions, records, streams }: Topic): string {
  const readers = streams.length ? `; stream ${streams.join(", ")}` : "";
  return `${counted(partitions, "partition")}, ${counted(records, "record")}${readers}`;
}

function ExistingTopic({ draft, change }: TopicFormProps) {
  const topics = useTopics(draft.cluster);
  return (
    <QueryResult query={topics} what="topics">
      {({ results }) => {
        const chosen = results.find(({ name }) => name === draft.topic);
        return (
          <Select
            label="Topic"
            placeholder={results.length ? "Select a topic" : "No topics yet"}
            searchable
            limit={100}
            data={results.map(({ name }) => name)}
            value={draft.topic || null}
            description={chosen ? topicText(chosen) : `${counted(results.length, "topic")} on the cluster`}
            onChange={(topic) => {
              change(withTopic(draft, topic ?? ""));
            }}
            maw={560}
          />
        );
      }}
    </QueryResult>
  );
}

import { Button, NumberInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useChangeTopic } from "../../api/topics";
import type { TopicDetail } from "../../api/types";
import { Panel } from "../../ui/page";
import { Badge } from "../../ui/status";
import { RequestError } from "../../ui/request-error";
import { cleanupOf, hoursOf, msOf } from "../topics/retention";
import { CleanupInput, RetentionInput } from "../topics/topic-inputs";
import classes from "../topics/topics.module.css";

export function SettingsForm({ cluster, topic }: { cluster: string; topic: TopicDetail }) {
  const change = useChangeTopic(cluster, topic.name);
  const [partitions, setPartitions] = useState(topic.partitions.length);
  const [hours, setHours] = useState(() => hoursOf(topic.settings.retention_ms));
  const [cleanup, setCleanup] = useState(() => cleanupOf(topic.settings.cleanup));
  const more = partitions > topic.partitions.length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ retention_ms: msOf(hours), cleanup, partitions: more ? partitions : null });
  };
  return (
    <Panel title="Topic settings">
      <form className={classes["row"]} onSubmit={submit}>
        <CleanupInput value={cleanup} onChange={setCleanup} />
        <RetentionInput value={hours} onChange={setHours} />
        <NumberInput
          label="Partitions"
          description="Can only be increased"
          min={topic.partitions.length}
          max={256}
          value={partitions}
          onChange={(n) => {
            setPartitions(Number(n) || topic.partitions.length);
          }}
        />
        <span className={classes["buttons"]}>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </span>
      </form>
      {more && (
        <p>
          <Badge tone="warn" plain>
            Key order changes
          </Badge>{" "}
          New records of a key can go to another partition than earlier ones, so their order isn't kept.
          Running jobs read new partitions after a restart.
        </p>
      )}
      {change.isSuccess && (
        <p role="status">
          <Badge tone="good" plain>
            Saved
          </Badge>
        </p>
      )}
      <RequestError what="Couldn't save" error={change.error} />
    </Panel>
  );
}

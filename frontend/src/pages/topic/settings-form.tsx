import { Button } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useChangeTopic, useTopic } from "../../api/topics";
import type { TopicDetail } from "../../api/types";
import { Confirm } from "../../ui/confirm";
import { Panel } from "../../ui/page";
import { Badge } from "../../ui/status";
import { RequestError } from "../../ui/request-error";
import { NumberField } from "../../ui/number-field";
import {
  changesOf,
  lossesOf,
  MAX_PARTITIONS,
  retentionProblem,
  settingsOf,
  type SettingsDraft,
} from "../topics/retention";
import { CleanupInput, RetentionInput } from "../topics/topic-inputs";
import classes from "../topics/topics.module.css";

export function SettingsForm({ cluster, topic }: { cluster: string; topic: TopicDetail }) {
  const change = useChangeTopic(cluster, topic.name);
  const areTold = topic.settings.retention_ms !== null && topic.settings.cleanup !== null;
  const { refetch } = useTopic(cluster, topic.name);
  const now = settingsOf(topic);
  // What was not typed here follows the topic, which others may change meanwhile.
  const [own, setOwn] = useState<Partial<SettingsDraft>>({});
  const draft = { ...now, ...own };
  const set = (part: Partial<SettingsDraft>) => {
    setOwn((before) => ({ ...before, ...part }));
  };
  const isInvalid = retentionProblem(draft.hours) !== "";
  const changes = changesOf(now, draft);
  const isChanged = Object.values(changes).some((one) => one !== null);
  const losses = lossesOf(now, draft);
  const [isReading, setReading] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
  };
  const save = (changed: ReturnType<typeof changesOf>) => {
    change.mutate(changed, {
      onSuccess: () => {
        close();
        setOwn({});
      },
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // What is lost depends on how the topic is now: what the page shows may be some seconds old.
    setReading(true);
    void refetch().then(({ data = topic }) => {
      setReading(false);
      const found = settingsOf(data);
      const wanted = { ...found, ...own };
      if (lossesOf(found, wanted).length) setAsking(true);
      else save(changesOf(found, wanted));
    });
  };
  return (
    <Panel title="Topic settings">
      <form className={classes["row"]} onSubmit={submit}>
        {areTold && (
          <>
            <CleanupInput
              value={draft.cleanup}
              onChange={(to) => {
                set({ cleanup: to });
              }}
            />
            <RetentionInput
              value={draft.hours}
              onChange={(hours) => {
                set({ hours });
              }}
            />
          </>
        )}
        <NumberField
          label="Partitions"
          description="Can only be increased"
          min={now.partitions}
          max={MAX_PARTITIONS}
          value={draft.partitions}
          onChange={(partitions) => {
            set({ partitions });
          }}
        />
        <span className={classes["buttons"]}>
          <Button type="submit" loading={isReading || change.isPending} disabled={!isChanged || isInvalid}>
            Save
          </Button>
        </span>
      </form>
      {!areTold && <p>The cluster's user may not read cleanup policy and retention.</p>}
      {changes.partitions !== null && (
        <p>
          <Badge tone="warn" plain>
            Key order changes
          </Badge>{" "}
          New records of a key can go to another partition than earlier ones, so their order isn't kept.
          Running jobs read new partitions after a restart.
        </p>
      )}
      {change.isSuccess && !isChanged && (
        <p role="status">
          <Badge tone="good" plain>
            Saved
          </Badge>
        </p>
      )}
      {!isAsking && <RequestError what="Couldn't save" error={change.error} />}
      <Confirm
        opened={isAsking}
        title={`Change how long ${topic.name} keeps records?`}
        verb="Change and delete"
        busy={change.isPending}
        error={change.error}
        onConfirm={() => {
          save(changes);
        }}
        onClose={close}
      >
        {losses.map((loss) => (
          <p key={loss}>{loss}</p>
        ))}
        <p>Deleted records can&apos;t be restored.</p>
      </Confirm>
    </Panel>
  );
}

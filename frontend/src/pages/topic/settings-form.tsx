import { Button } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useChangeTopic } from "../../api/topics";
import type { TopicDetail } from "../../api/types";
import { Confirm } from "../../ui/confirm";
import { Panel } from "../../ui/page";
import { Badge } from "../../ui/status";
import { RequestError } from "../../ui/request-error";
import { NumberField } from "../../ui/number-field";
import {
  changesOf,
  cleanupOf,
  hoursOf,
  lossesOf,
  retentionProblem,
  type SettingsDraft,
} from "../topics/retention";
import { CleanupInput, RetentionInput } from "../topics/topic-inputs";
import classes from "../topics/topics.module.css";

export function SettingsForm({ cluster, topic }: { cluster: string; topic: TopicDetail }) {
  const change = useChangeTopic(cluster, topic.name);
  const { retention_ms, cleanup } = topic.settings;
  const areTold = retention_ms !== null && cleanup !== null;
  const [seen, setSeen] = useState<SettingsDraft>(() => ({
    partitions: topic.partitions.length,
    hours: hoursOf(retention_ms ?? -1),
    cleanup: cleanupOf(cleanup ?? ""),
  }));
  const [draft, setDraft] = useState(seen);
  const set = (part: Partial<SettingsDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
  };
  const isInvalid = retentionProblem(draft.hours) !== "";
  const changes = changesOf(seen, draft);
  const isChanged = Object.values(changes).some((one) => one !== null);
  const losses = lossesOf(seen, draft);
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
  };
  const save = () => {
    change.mutate(changes, {
      onSuccess: () => {
        close();
        setSeen(draft);
      },
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (losses.length) setAsking(true);
    else save();
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
          min={seen.partitions}
          max={256}
          value={draft.partitions}
          onChange={(partitions) => {
            set({ partitions });
          }}
        />
        <span className={classes["buttons"]}>
          <Button type="submit" loading={change.isPending} disabled={!isChanged || isInvalid}>
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
        onConfirm={save}
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

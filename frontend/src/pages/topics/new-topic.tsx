import { Button, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useLocation } from "wouter";
import { useCreateTopic } from "../../api/topics";
import { Panel } from "../../ui/page";
import { RequestError } from "../../ui/request-error";
import { NumberField } from "../../ui/number-field";
import { MAX_PARTITIONS, msOf, retentionProblem, type Cleanup } from "./retention";
import { CleanupInput, RetentionInput } from "./topic-inputs";
import classes from "./topics.module.css";

export function NewTopic({ cluster, onClose }: { cluster: string; onClose: () => void }) {
  const create = useCreateTopic(cluster);
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const [partitions, setPartitions] = useState(2);
  const [hours, setHours] = useState<number | null>(168);
  const [cleanup, setCleanup] = useState<Cleanup>("delete");
  const isCompacted = cleanup === "compact";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { name, partitions, retention_ms: isCompacted ? null : msOf(hours), cleanup },
      {
        onSuccess: () => {
          navigate(`/topics/${cluster}/${encodeURIComponent(name)}`);
        },
      },
    );
  };
  return (
    <Panel title="Create topic">
      <form className={classes["row"]} onSubmit={submit}>
        <TextInput
          label="Name"
          description="Letters, digits, . _ -"
          required
          value={name}
          onChange={(e) => {
            setName(e.currentTarget.value);
          }}
        />
        <NumberField
          label="Partitions"
          description="Can only be increased"
          min={1}
          max={MAX_PARTITIONS}
          value={partitions}
          onChange={setPartitions}
        />
        <CleanupInput value={cleanup} onChange={setCleanup} />
        {!isCompacted && <RetentionInput value={hours} onChange={setHours} />}
        <span className={classes["buttons"]}>
          <Button
            type="submit"
            disabled={!name || (!isCompacted && retentionProblem(hours) !== "")}
            loading={create.isPending}
          >
            Create
          </Button>
          <Button variant="subtle" color="gray" onClick={onClose}>
            Cancel
          </Button>
        </span>
      </form>
      <RequestError what="Couldn't create the topic" error={create.error} />
    </Panel>
  );
}

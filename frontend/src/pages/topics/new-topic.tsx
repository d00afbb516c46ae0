import { Button, NumberInput, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useLocation } from "wouter";
import { ApiError } from "../../api/client";
import { useCreateTopic } from "../../api/topics";
import { Panel } from "../../ui/page";
import { Badge } from "../../ui/status";
import { CLEANUPS, cleanupOf, msOf, type Cleanup } from "./retention";
import classes from "./topics.module.css";

export function NewTopic({ cluster, onClose }: { cluster: string; onClose: () => void }) {
  const create = useCreateTopic(cluster);
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const [partitions, setPartitions] = useState(2);
  const [hours, setHours] = useState<number | null>(168);
  const [cleanup, setCleanup] = useState<Cleanup>("delete");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { name, partitions, retention_ms: msOf(hours), cleanup },
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
        <NumberInput
          label="Partitions"
          description="Can only be increased"
          min={1}
          max={256}
          value={partitions}
          onChange={(n) => {
            setPartitions(Number(n) || 1);
          }}
        />
        <Select
          label="Cleanup policy"
          description="When Kafka removes records"
          allowDeselect={false}
          data={[...CLEANUPS]}
          value={cleanup}
          onChange={(value) => {
            setCleanup(cleanupOf(value ?? ""));
          }}
        />
        {cleanup !== "compact" && (
          <NumberInput
            label="Retention (hours)"
            description="Leave empty for unlimited"
            min={0}
            value={hours ?? ""}
            onChange={(n) => {
              setHours(n === "" ? null : Number(n));
            }}
          />
        )}
        <span className={classes["buttons"]}>
          <Button type="submit" disabled={!name} loading={create.isPending}>
            Create
          </Button>
          <Button variant="subtle" color="gray" onClick={onClose}>
            Cancel
          </Button>
        </span>
      </form>
      {create.error && (
        <p role="alert">
          <Badge tone="bad" plain>
            Couldn't create the topic
          </Badge>{" "}
          {create.error instanceof ApiError ? create.error.message : ""}
        </p>
      )}
    </Panel>
  );
}

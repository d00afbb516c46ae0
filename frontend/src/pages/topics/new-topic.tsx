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
  const make = useCreateTopic(cluster);
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const [partitions, setPartitions] = useState(2);
  const [hours, setHours] = useState<number | null>(168);
  const [cleanup, setCleanup] = useState<Cleanup>("delete");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate({ name, partitions, retention_ms: msOf(hours), cleanup }, { onSuccess: () => { navigate(`/topics/${cluster}/${encodeURIComponent(name)}`); } });
  };
  return (
    <Panel title="Make a topic">
      <form className={classes["row"]} onSubmit={submit}>
        <TextInput label="Name" description="Letters, digits, points, - and _" required value={name} onChange={(e) => { setName(e.currentTarget.value); }} />
        <NumberInput label="Partitions" description="Can become more, never fewer" min={1} max={256} value={partitions} onChange={(n) => { setPartitions(Number(n) || 1); }} />
        <Select label="What goes" description="When Kafka drops records" allowDeselect={false} data={[...CLEANUPS]} value={cleanup} onChange={(value) => { setCleanup(cleanupOf(value ?? "")); }} />
        {cleanup !== "compact" && <NumberInput label="Keep for, hours" description="Empty: for ever" min={0} value={hours ?? ""} onChange={(n) => { setHours(n === "" ? null : Number(n)); }} />}
        <span className={classes["buttons"]}><Button type="submit" disabled={!name} loading={make.isPending}>Make it</Button><Button variant="subtle" color="gray" onClick={onClose}>Cancel</Button></span>
      </form>
      {make.error && <p role="alert"><Badge tone="bad" plain>Not made</Badge> {make.error instanceof ApiError ? make.error.message : ""}</p>}
    </Panel>
  );
}

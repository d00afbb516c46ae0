import { Button, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useAlertRules, useCreateSilence } from "../../../api/alerts";
import { useJobs } from "../../../api/jobs";
import { localInputText, zoneId } from "../../../ui/format/times";
import { OpenDialog } from "../../../ui/open-dialog";
import { RequestError } from "../../../ui/request-error";
import classes from "../alerts.module.css";

const HOUR_MS = 3_600_000;

/** A silence from now on, or maintenance at a time to come. Times are in the person's zone. */
export function SilenceForm({ onClose }: { onClose: () => void }) {
  const [about, setAbout] = useState("workspace");
  const [from, setFrom] = useState(() => localInputText(new Date()));
  const [until, setUntil] = useState(() => localInputText(new Date(Date.now() + 2 * HOUR_MS)));
  const [note, setNote] = useState("");
  const rules = useAlertRules();
  const jobs = useJobs();
  const create = useCreateSilence();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [kind, id] = about.split(":");
    create.mutate(
      {
        starts_at: new Date(from).toISOString(),
        ends_at: new Date(until).toISOString(),
        note,
        ...(kind === "rule" && id !== undefined && { rule_id: id }),
        ...(kind === "job" && id !== undefined && { job_id: id }),
      },
      { onSuccess: onClose },
    );
  };
  return (
    <OpenDialog onClose={onClose} size="lg" title={<strong>New silence</strong>}>
      <form onSubmit={submit} className={classes["form"]}>
        <Select
          label="For"
          searchable
          data-autofocus
          openOnFocus={false}
          allowDeselect={false}
          data={[
            { value: "workspace", label: "Whole workspace" },
            {
              group: "Jobs",
              items:
                jobs.data?.results.map(({ id, name }) => ({ value: `job:${id}`, label: `Job ${name}` })) ??
                [],
            },
            {
              group: "Rules",
              items: rules.data?.results.map(({ id, name }) => ({ value: `rule:${id}`, label: name })) ?? [],
            },
          ]}
          value={about}
          onChange={(value) => {
            setAbout(value ?? "workspace");
          }}
        />
        <div className={classes["pair"]}>
          <TextInput
            label={`From (${zoneId()})`}
            type="datetime-local"
            required
            value={from}
            onChange={(event) => {
              setFrom(event.currentTarget.value);
            }}
          />
          <TextInput
            label={`Until (${zoneId()})`}
            type="datetime-local"
            required
            value={until}
            onChange={(event) => {
              setUntil(event.currentTarget.value);
            }}
          />
        </div>
        <TextInput
          label="Note"
          placeholder="Kafka upgrade"
          maxLength={200}
          value={note}
          onChange={(event) => {
            setNote(event.currentTarget.value);
          }}
        />
        <RequestError what="Couldn't create the silence" error={create.error} />
        <div className={classes["formActions"]}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create silence
          </Button>
        </div>
      </form>
    </OpenDialog>
  );
}

import { Button, NumberInput, Select } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useCreateObjective } from "../../../api/objectives";
import { useJobs } from "../../../api/jobs";
import type { ObjectiveKind } from "../../../api/types";
import { OpenDialog } from "../../../ui/open-dialog";
import { RequestError } from "../../../ui/request-error";
import { OutputSelect } from "./output-select";
import classes from "../alerts.module.css";

const KINDS = [
  { value: "freshness", label: "Freshness" },
  { value: "completeness", label: "Completeness" },
  { value: "availability", label: "Availability" },
] as const;

const THRESHOLDS: Readonly<Record<"freshness" | "completeness", string>> = {
  freshness: "Results not older than (s)",
  completeness: "Late, malformed and failed rows at most (%)",
};

export function ObjectiveForm({ onClose }: { onClose: () => void }) {
  const [job, setJob] = useState<string | null>(null);
  const [kind, setKind] = useState<ObjectiveKind>("freshness");
  const [output, setOutput] = useState("");
  const [threshold, setThreshold] = useState<string | number>(10);
  const [target, setTarget] = useState<string | number>(99);
  const [days, setDays] = useState<string | number>(28);
  const jobs = useJobs();
  const create = useCreateObjective();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (job === null) return;
    create.mutate(
      {
        job_id: job,
        kind,
        output: kind === "completeness" ? output : "",
        threshold:
          kind === "availability"
            ? null
            : kind === "completeness"
              ? Number(threshold) / 100
              : Number(threshold),
        target: Number(target) / 100,
        window_days: Number(days),
      },
      { onSuccess: onClose },
    );
  };
  return (
    <OpenDialog onClose={onClose} size="lg" title={<strong>New objective</strong>}>
      <form onSubmit={submit} className={classes["form"]}>
        <div className={classes["pair"]}>
          <Select
            label="Job"
            required
            searchable
            allowDeselect={false}
            data-autofocus
            data={jobs.data?.results.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            value={job}
            onChange={(chosen) => {
              setJob(chosen);
              setOutput("");
            }}
          />
          <Select
            label="Kind"
            allowDeselect={false}
            data={KINDS}
            value={kind}
            onChange={(value) => {
              const found = KINDS.find((one) => one.value === value);
              if (found) setKind(found.value);
            }}
          />
        </div>
        {kind === "completeness" && job !== null && (
          <OutputSelect job={job} value={output} onChange={setOutput} />
        )}
        {kind !== "availability" && (
          <NumberInput label={THRESHOLDS[kind]} required min={0} value={threshold} onChange={setThreshold} />
        )}
        <div className={classes["pair"]}>
          <NumberInput
            label="Share of the time (%)"
            required
            min={50}
            max={99.99}
            decimalScale={2}
            value={target}
            onChange={setTarget}
          />
          <NumberInput label="Over (days)" required min={1} max={90} value={days} onChange={setDays} />
        </div>
        <RequestError what="Couldn't create the objective" error={create.error} />
        <div className={classes["formActions"]}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create objective
          </Button>
        </div>
      </form>
    </OpenDialog>
  );
}

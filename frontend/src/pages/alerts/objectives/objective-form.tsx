import { Button, NumberInput, Select } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useCreateObjective } from "../../../api/objectives";
import { useJobs } from "../../../api/jobs";
import type { ObjectiveKind } from "../../../api/types";
import { useLeave } from "../../../drafts/discard-draft";
import { heldOpen, OpenDialog } from "../../../ui/open-dialog";
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

interface ObjectiveDraft {
  job: string | null;
  kind: ObjectiveKind;
  output: string;
  threshold: string | number;
  target: string | number;
  days: string | number;
}

const FIRST: ObjectiveDraft = {
  job: null,
  kind: "freshness",
  output: "",
  threshold: 10,
  target: 99,
  days: 28,
};

export function ObjectiveForm({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState(FIRST);
  const { job, kind, output, threshold, target, days } = draft;
  const change = (part: Partial<ObjectiveDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
  };
  const isChanged = JSON.stringify(draft) !== JSON.stringify(FIRST);
  const { leave, question } = useLeave(isChanged, onClose, "Other objectives aren't affected.");
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
    <OpenDialog
      onClose={leave}
      {...heldOpen(create.isPending)}
      size="lg"
      title={<strong>New objective</strong>}
    >
      {question}
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
              change({ job: chosen, output: "" });
            }}
          />
          <Select
            label="Kind"
            allowDeselect={false}
            data={KINDS}
            value={kind}
            onChange={(value) => {
              const found = KINDS.find((one) => one.value === value);
              if (found) change({ kind: found.value });
            }}
          />
        </div>
        {kind === "completeness" && job !== null && (
          <OutputSelect
            job={job}
            value={output}
            onChange={(chosen) => {
              change({ output: chosen });
            }}
          />
        )}
        {kind !== "availability" && (
          <NumberInput
            label={THRESHOLDS[kind]}
            required
            min={0}
            value={threshold}
            onChange={(value) => {
              change({ threshold: value });
            }}
          />
        )}
        <div className={classes["pair"]}>
          <NumberInput
            label="Share of the time (%)"
            required
            min={50}
            max={99.99}
            decimalScale={2}
            value={target}
            onChange={(value) => {
              change({ target: value });
            }}
          />
          <NumberInput
            label="Over (days)"
            required
            min={1}
            max={90}
            value={days}
            onChange={(value) => {
              change({ days: value });
            }}
          />
        </div>
        <RequestError what="Couldn't create the objective" error={create.error} />
        <div className={classes["formActions"]}>
          <Button variant="default" disabled={create.isPending} onClick={leave}>
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

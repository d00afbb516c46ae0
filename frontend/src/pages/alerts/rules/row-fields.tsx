import { Checkbox, Select, TextInput } from "@mantine/core";
import { useLiveOutputs } from "../../../api/dashboards";
import { RequestError } from "../../../ui/request-error";
import type { RuleDraft } from "./rule-draft";
import classes from "../alerts.module.css";

const CODE = {
  input: { fontFamily: "var(--mantine-font-family-monospace)", fontVariantLigatures: "none" },
};

/** A condition over each row of a job's live result. */
export function RowFields({
  draft,
  onChange,
}: {
  draft: RuleDraft;
  onChange: (part: Partial<RuleDraft>) => void;
}) {
  const outputs = useLiveOutputs();
  const { data } = outputs;
  const output = data?.results.find(({ job }) => job === draft.job);
  return (
    <>
      {!data && <RequestError what="Couldn't load jobs" error={outputs.error} onRetry={outputs.refetch} />}
      <Select
        label="Job"
        required
        searchable
        allowDeselect={false}
        placeholder={data && !data.results.length ? "No job has a live result" : "Choose a job"}
        data={data?.results.map(({ job, job_name }) => ({ value: job, label: job_name })) ?? []}
        value={draft.job || null}
        onChange={(job) => {
          onChange({ job: job ?? "" });
        }}
      />
      <TextInput
        label="Condition"
        required
        description={
          output
            ? `Fields: ${output.result.schema.map(({ name }) => name).join(", ")}`
            : "Over each result row"
        }
        placeholder="avg_delay > 60 and departures >= 5"
        value={draft.where}
        styles={CODE}
        onChange={(event) => {
          onChange({ where: event.currentTarget.value });
        }}
      />
      <TextInput
        label="Recovers when"
        description="Without it: when a row doesn't meet the condition any more"
        placeholder="avg_delay < 30"
        value={draft.recoversWhere}
        styles={CODE}
        onChange={(event) => {
          onChange({ recoversWhere: event.currentTarget.value });
        }}
      />
      <div className={classes["pair"]}>
        <TextInput
          label="One alert for each"
          description={draft.isOne ? "One alert for all rows" : "Fields with commas; without: the row's key"}
          disabled={draft.isOne}
          value={draft.isOne ? "" : draft.by}
          onChange={(event) => {
            onChange({ by: event.currentTarget.value });
          }}
        />
        <TextInput
          label="Also over when quiet for"
          description="No row met the condition: 5m, 1h"
          value={draft.quiet}
          onChange={(event) => {
            onChange({ quiet: event.currentTarget.value });
          }}
        />
      </div>
      <Checkbox
        label="One alert for all rows"
        checked={draft.isOne}
        onChange={(event) => {
          onChange({ isOne: event.currentTarget.checked });
        }}
      />
    </>
  );
}

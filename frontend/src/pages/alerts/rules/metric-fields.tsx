import { Select, TextInput } from "@mantine/core";
import { useAlertMetrics } from "../../../api/alerts";
import { useJobs } from "../../../api/jobs";
import { RequestError } from "../../../ui/request-error";
import { numberProblem, type RuleDraft } from "./rule-draft";
import classes from "../alerts.module.css";

const OF_A_JOB: ReadonlySet<string> = new Set(["job", "source", "objective"]);

/** A metric, how it is compared, and when the alert is over. */
export function MetricFields({
  draft,
  onChange,
}: {
  draft: RuleDraft;
  onChange: (part: Partial<RuleDraft>) => void;
}) {
  const metrics = useAlertMetrics();
  const { data } = metrics;
  const jobs = useJobs();
  const metric = data?.results.find(({ name }) => name === draft.metric);
  const isOfJob = OF_A_JOB.has(metric?.scope ?? "");
  const unit = metric?.unit ? ` (${metric.unit === "share" ? "share, 0 to 1" : metric.unit})` : "";
  return (
    <>
      {!data && <RequestError what="Couldn't load metrics" error={metrics.error} onRetry={metrics.refetch} />}
      {isOfJob && !jobs.data && (
        <RequestError what="Couldn't load jobs" error={jobs.error} onRetry={jobs.refetch} />
      )}
      <div className={classes["pair"]}>
        <Select
          label="Metric"
          searchable
          allowDeselect={false}
          data={
            data?.results.map(({ name, title, scope }) => ({ value: name, label: `${title} · ${scope}` })) ??
            []
          }
          value={draft.metric}
          onChange={(name) => {
            if (name !== null) onChange({ metric: name, job: "", group: "" });
          }}
        />
        {isOfJob && (
          <Select
            label="Job"
            clearable
            searchable
            placeholder="All jobs"
            data={jobs.data?.results.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            value={draft.job || null}
            onChange={(job) => {
              onChange({ job: job ?? "" });
            }}
          />
        )}
        {metric?.scope === "group" && (
          <TextInput
            label="Consumer group"
            placeholder="All groups"
            maxLength={255}
            value={draft.group}
            onChange={(event) => {
              onChange({ group: event.currentTarget.value });
            }}
          />
        )}
      </div>
      {metric && <p className="soft">{metric.help}</p>}
      <div className={classes["pair"]}>
        <Select
          label="Fires"
          allowDeselect={false}
          data={[
            { value: "above", label: "above" },
            { value: "below", label: "below" },
          ]}
          value={draft.comparison}
          onChange={(comparison) => {
            onChange({ comparison: comparison === "below" ? "below" : "above" });
          }}
        />
        <TextInput
          label={`Threshold${unit}`}
          inputMode="decimal"
          required
          value={draft.threshold}
          error={numberProblem(draft.threshold)}
          onChange={(event) => {
            onChange({ threshold: event.currentTarget.value });
          }}
        />
        <TextInput
          label={`Recovers at${unit}`}
          inputMode="decimal"
          placeholder="the threshold"
          value={draft.recoversAt}
          error={numberProblem(draft.recoversAt)}
          onChange={(event) => {
            onChange({ recoversAt: event.currentTarget.value });
          }}
        />
      </div>
    </>
  );
}

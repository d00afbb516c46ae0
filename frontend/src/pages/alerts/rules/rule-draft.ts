/** A rule as the form edits it: texts as they are typed, and the document that they mean. */

import type { AlertRule, AlertRuleDocument, AlertSeverity } from "../../../api/types";
import type { Stored } from "../../../drafts/shared-draft";

export interface RuleDraft {
  kind: "metric" | "rows";
  /** empty: every job */
  job: string;
  metric: string;
  /** name of a consumer group; empty: every one */
  group: string;
  comparison: "above" | "below";
  threshold: string;
  /** empty: the threshold itself */
  recoversAt: string;
  where: string;
  recoversWhere: string;
  /** names with commas between them; empty: the row's identity without its window */
  by: string;
  /** one alert whatever the row, instead of `by` */
  isOne: boolean;
  quiet: string;
  hold: string;
  severity: AlertSeverity;
  channels: string[];
}

export const NEW_DRAFT: RuleDraft = {
  kind: "rows",
  job: "",
  metric: "job.lag_seconds",
  group: "",
  comparison: "above",
  threshold: "60",
  recoversAt: "",
  where: "",
  recoversWhere: "",
  by: "",
  isOne: false,
  quiet: "",
  hold: "0s",
  severity: "warning",
  channels: [],
};

function text(value: number | null): string {
  return value === null ? "" : String(value);
}

function number(value: string): number | null {
  const found = value.trim() === "" ? NaN : Number(value);
  return Number.isFinite(found) ? found : null;
}

/** What is wrong with a number that was typed; null for one, and for none. */
export function numberProblem(text: string): string | null {
  return text.trim() === "" || number(text) !== null ? null : "Not a number. Enter e.g. 60 or 0.5.";
}

/** Whether all of the draft that is typed can be meant. */
export function isReadable({ kind, threshold, recoversAt }: RuleDraft): boolean {
  return kind !== "metric" || [threshold, recoversAt].every((text) => numberProblem(text) === null);
}

export function draftOf(document: AlertRuleDocument): RuleDraft {
  const { watch, hold, severity, channels } = document;
  const common = { ...NEW_DRAFT, hold, severity, channels };
  if (watch.kind === "rows")
    return {
      ...common,
      kind: "rows",
      job: watch.job,
      where: watch.where,
      recoversWhere: watch.recovers_where ?? "",
      by: watch.by?.join(", ") ?? "",
      isOne: watch.by?.length === 0,
      quiet: watch.quiet ?? "",
    };
  return {
    ...common,
    kind: "metric",
    job: watch.job ?? "",
    metric: watch.metric,
    group: watch.group ?? "",
    comparison: watch.below === null ? "above" : "below",
    threshold: text(watch.below ?? watch.above),
    recoversAt: text(watch.recovers_at),
  };
}

/** The document of a draft. What is missing in it is for the check to say. */
export function documentOf(draft: RuleDraft): AlertRuleDocument {
  const { hold, severity, channels } = draft;
  const common = { format: 1, hold: hold.trim() || "0s", severity, channels };
  if (draft.kind === "metric") {
    const threshold = number(draft.threshold);
    return {
      ...common,
      watch: {
        kind: "metric",
        metric: draft.metric,
        job: draft.job || null,
        group: draft.group.trim() || null,
        above: draft.comparison === "above" ? threshold : null,
        below: draft.comparison === "below" ? threshold : null,
        recovers_at: number(draft.recoversAt),
      },
    };
  }
  const by = draft.by
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  return {
    ...common,
    watch: {
      kind: "rows",
      job: draft.job,
      where: draft.where,
      by: draft.isOne ? [] : by.length ? by : null,
      recovers_where: draft.recoversWhere.trim() || null,
      quiet: draft.quiet.trim() || null,
    },
  };
}

/** Whether the draft says enough to be checked; a form that was just opened shows no problems. */
export function isComplete(draft: RuleDraft): boolean {
  if (draft.kind === "metric") return number(draft.threshold) !== null && isReadable(draft);
  return draft.job !== "" && draft.where.trim() !== "";
}

/** What the editor holds. */
export interface NamedDraft {
  name: string;
  draft: RuleDraft;
}

/** @param rule null: a new one */
export function storedOf(rule: AlertRule | null): Stored<NamedDraft> {
  if (!rule) return { revision: 0, value: { name: "", draft: NEW_DRAFT }, by: "" };
  const { revision, name, document, changed_by } = rule;
  return { revision, value: { name, draft: draftOf(document) }, by: changed_by };
}

/** As text, to be compared line by line. */
export function textOf({ name, draft }: NamedDraft): string {
  return JSON.stringify({ name, ...documentOf(draft) }, null, 2);
}

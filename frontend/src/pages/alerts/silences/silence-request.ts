/** What the form for a new silence asks for. No React. */

import type { SilenceForm } from "../../../api/alerts";
import { instant } from "../../../ui/format/times";

export interface SilenceDraft {
  /** `workspace`, or `job:` or `rule:` and its ID */
  about: string;
  /** as an input of type datetime-local writes it */
  from: string;
  until: string;
  note: string;
}

type Wrong = Partial<Record<"from" | "until", string>>;

/** Without it browsers take years of six digits, which no date of JavaScript or the server has. */
export const LAST_TIME = "9999-12-31T23:59";

/** The request, or what is wrong with the draft, by field. */
export function silenceRequest(draft: SilenceDraft): { body: SilenceForm } | { wrong: Wrong } {
  const { about, note } = draft;
  const from = sentTime(draft.from);
  const until = sentTime(draft.until);
  if (from === null || until === null) {
    const message = "Enter a date and time.";
    return { wrong: { ...(from === null && { from: message }), ...(until === null && { until: message }) } };
  }
  const [kind, id] = about.split(":");
  return {
    body: {
      starts_at: from,
      ends_at: until,
      note,
      ...(kind === "rule" && id !== undefined && { rule_id: id }),
      ...(kind === "job" && id !== undefined && { job_id: id }),
    },
  };
}

/** Null for what is no time, and for a time whose year has more than four digits. */
function sentTime(text: string): string | null {
  const sent = instant(text)?.toISOString();
  return sent && /^\d/.test(sent) ? sent : null;
}

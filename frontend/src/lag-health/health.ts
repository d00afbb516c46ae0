/** The health of a job or of a consumer group in words. No React. */

import type { ConsumerGroup, GroupHealth, LagHealth } from "../api/types";
import { duration, seconds } from "../ui/format/durations";
import { count, counted, rate, share } from "../ui/format/numbers";
import type { Tone } from "../ui/status";

export const HEALTH: Readonly<Record<GroupHealth, { word: string; tone: Tone; means: string }>> = {
  losing: {
    word: "Losing records",
    tone: "bad",
    means: "Retention has deleted records that were not read.",
  },
  stopped: { word: "Stopped", tone: "bad", means: "Records are waiting, and none are read." },
  stalled: {
    word: "Stalled",
    tone: "bad",
    means: "Some partitions aren't read while others are: often a record that can't be processed.",
  },
  falling_behind: {
    word: "Falling behind",
    tone: "bad",
    means: "Records are written faster than they are read.",
  },
  behind: { word: "Behind", tone: "warn", means: "It follows at a distance that stays the same." },
  catching_up: {
    word: "Catching up",
    tone: "warn",
    means: "It reads faster than records are written.",
  },
  unknown: {
    word: "Too early to tell",
    tone: "idle",
    means: "Too little was seen since the watch began.",
  },
  fine: {
    word: "Keeping up",
    tone: "good",
    means: "It reads as fast as records are written; lag does not grow.",
  },
  empty: { word: "Empty", tone: "idle", means: "The group has no members and nothing to read." },
};

/** The worst first. */
export const BY_SEVERITY = Object.keys(HEALTH) as GroupHealth[];

const CAUSES: Readonly<Record<string, string>> = {
  no_members: "no members",
  rebalancing: "rebalancing",
  unassigned: "partitions without a member",
  not_committing: "members don't commit",
};

/** A job's health has no cause: nobody joins or leaves it. */
export type Judged = LagHealth & Partial<Pick<ConsumerGroup, "cause">>;

/** What a health says beside its word: why, since when, how fast, until when; empty for no more. */
export function healthNote(judged: Judged, now: number): string {
  const since = judged.since ? ` for ${duration(Math.max(0, now - Date.parse(judged.since)))}` : "";
  switch (judged.health) {
    case "stopped":
    case "stalled":
      return `${CAUSES[judged.cause ?? ""] ?? "nothing read"}${since}`;
    case "falling_behind":
      return `${growth(judged)}${since}`.trim();
    case "catching_up":
      return judged.catch_up_s === null ? "" : `~${seconds(judged.catch_up_s)} left`;
    case "losing":
      return `${counted(judged.lost_records, "record")} lost`;
    default:
      return "";
  }
}

function growth({ in_rate, out_rate }: Judged): string {
  if (in_rate === null || out_rate === null || in_rate <= out_rate) return "";
  return `by ${rate(in_rate - out_rate, "records")}`;
}

const RISK_S = 24 * 3600;

/** How a countdown to loss reads; null where nothing is at risk. */
export function lossNote({ loss_s, health }: Pick<LagHealth, "loss_s" | "health">): {
  text: string;
  tone: Tone;
} | null {
  if (health === "losing") return { text: "now", tone: "bad" };
  if (loss_s === null) return null;
  return { text: seconds(loss_s), tone: loss_s < RISK_S ? "bad" : "warn" };
}

/** Lag in time, and how it is known. */
export function lagTime(value: number | null, by: string): string {
  return by === "at_least" ? `> ${seconds(value)}` : seconds(value);
}

export const SECONDS_BY: Readonly<Record<string, string>> = {
  record: "From the timestamp of the record at the committed offset.",
  sampled: "From end offsets sampled over time.",
  at_least: "At least this long: the record was written before the watch began.",
};

export function hotText(hot: NonNullable<ConsumerGroup["hot"]>): string {
  const lag = `Partition ${count(hot.partition)} of ${hot.topic} has ${share(hot.lag_share)} of the lag`;
  const input = hot.in_share === null ? "" : ` and gets ${share(hot.in_share)} of the records`;
  return hot.because === "input"
    ? `${lag}${input}: its keys are hot.`
    : `${lag}${input}: it's read more slowly than the others.`;
}

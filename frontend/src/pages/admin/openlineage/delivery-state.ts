/** How deliveries to the receiver go, in a word and a sentence. No React. */

import type { LineageEvent, LineageEventState, LineageEventType, LineageReceiver } from "../../../api/types";
import { duration } from "../../../ui/format/durations";
import { counted } from "../../../ui/format/numbers";
import type { Tone } from "../../../ui/status";

export interface DeliveryState {
  word: string;
  tone: Tone;
  means: string;
}

export function deliveryState({ enabled, attempts, waiting, sent_at }: LineageReceiver): DeliveryState {
  if (!enabled) return { word: "Off", tone: "idle", means: "Nothing is sent, and new events aren't kept" };
  if (attempts > 0 && waiting > 0)
    return {
      word: "Failing",
      tone: "bad",
      means: `${counted(attempts, "failed attempt")}; events are kept for a day`,
    };
  if (attempts > 0) return { word: "Failed", tone: "bad", means: "The last event was given up" };
  if (waiting > 0) return { word: "Sending", tone: "warn", means: "Events are sent in order" };
  if (sent_at === null)
    return { word: "Nothing sent yet", tone: "idle", means: "The next job that starts is told" };
  return { word: "Up to date", tone: "good", means: "No event waits" };
}

/** True if what waits is tried as soon as a worker is free. */
export function isDue({ next_try_at }: Pick<LineageReceiver, "next_try_at">, now: number): boolean {
  return next_try_at !== null && Date.parse(next_try_at) <= now;
}

/** `In 25 min`, until what waits is tried; empty where nothing waits, or it is due. */
export function untilText({ next_try_at }: Pick<LineageReceiver, "next_try_at">, now: number): string {
  const rest = next_try_at === null ? 0 : Date.parse(next_try_at) - now;
  return rest > 0 ? `In ${duration(Math.ceil(rest / 1000) * 1000)}` : "";
}

export const TYPE_NAMES: Readonly<Record<LineageEventType, string>> = {
  START: "Start",
  RUNNING: "Running",
  COMPLETE: "Complete",
  FAIL: "Fail",
  ABORT: "Abort",
  OTHER: "Test",
};

export const STATES: Readonly<Record<LineageEventState, { word: string; tone: Tone }>> = {
  waiting: { word: "Waiting", tone: "warn" },
  sent: { word: "Sent", tone: "good" },
  failed: { word: "Given up", tone: "bad" },
};

/** The state that the address names; null for all. */
export function stateOf(text: string): LineageEventState | null {
  return Object.hasOwn(STATES, text) ? (text as LineageEventState) : null;
}

/** True if the event was written well after what it tells of: its receiver was set while the job ran. */
export function isBelated({ at, created_at }: Pick<LineageEvent, "at" | "created_at">): boolean {
  return Date.parse(created_at) - Date.parse(at) > 60_000;
}

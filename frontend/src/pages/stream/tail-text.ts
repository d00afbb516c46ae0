/** What is said of a followed stream beside its records. No React. */

import type { Tail } from "../../live/tail-store";
import { count, counted } from "../../ui/format/numbers";

export const DEFAULT_RATE = 50;

export const SHOWN_RATES = [
  { value: "5", label: "At most 5 a second" },
  { value: "50", label: "At most 50 a second" },
  { value: "500", label: "At most 500 a second" },
] as const;

/** The choice that an address holds; anything else is the usual one. */
export function readRate(text: string): number {
  return SHOWN_RATES.some(({ value }) => value === text) ? Number(text) : DEFAULT_RATE;
}

/** What of the stream is not on the page, and why. */
export function omittedText(tail: Tail, searching: boolean): string[] {
  const said: string[] = [];
  if (searching && tail.following) said.push(`${counted(tail.matched, "match", "matches")} in ${counted(tail.tried, "record")}`);
  if (tail.untried > 0) said.push(`${counted(tail.untried, "record")} not tried, they came too fast`);
  if (tail.skipped > 0) said.push(searching ? `${count(tail.skipped)} of the matches left out` : `${counted(tail.skipped, "record")} left out, they came too fast to show`);
  return said;
}

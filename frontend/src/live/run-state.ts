/** What the state of a run says about its numbers. No React. */

import type { Observed } from "../api/types";

/** Whether it reads its input: only then a rate says something. */
export function isReading(observed: Observed): boolean {
  return observed === "running" || observed === "replaying";
}

/** Whether nothing of it runs. */
export function hasEnded(observed: Observed): boolean {
  return observed === "never_started" || observed === "stopped" || observed === "failed";
}

/** What the lists of alerts show of a frame. No React. */

import type { AlertsFrame } from "../live/frames";

/**
 * Differs between two frames where the lists have to be read again. A silence begins and ends by its own
 * clock, and a pending alert that is over leaves nothing behind: `changed_us` moves with neither.
 */
export function alertsShown({ changed_us, pending, firing, open }: AlertsFrame): string {
  const silenced = open.filter((alert) => alert.silenced).map(({ alert_id }) => alert_id);
  return JSON.stringify([changed_us, pending, firing, silenced]);
}

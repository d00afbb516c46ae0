/** What the socket knows of a subscription, and how it asks for it. No React. */

import type { Frame } from "./frames";
import type { SnapshotRenewal } from "./snapshot-renewal";

const INTERVAL_MS = 100;

/** What a subscription may ask for besides its channel (docs/protocol.md). */
export interface SubscribeOptions {
  /** tails: records per second at most */
  max_per_second?: number;
  /** tails: a condition that records must meet */
  where?: string;
}

export interface Entry {
  channel: string;
  workspace: string;
  options: SubscribeOptions;
  cursor: string | null;
  onFrame: (frame: Frame) => void;
  /** how often it was refused as unavailable since it was served last */
  refusals: number;
  again: ReturnType<typeof setTimeout> | undefined;
  renewal: SnapshotRenewal;
}

/** The frame that asks for it. */
export function subscribeRequest(id: number, { channel, workspace, cursor, options }: Entry): string {
  return JSON.stringify({
    op: "subscribe",
    id,
    channel,
    workspace,
    cursor,
    interval_ms: INTERVAL_MS,
    ...options,
  });
}

export function stopTimers({ again, renewal }: Entry): void {
  clearTimeout(again);
  renewal.stop();
}

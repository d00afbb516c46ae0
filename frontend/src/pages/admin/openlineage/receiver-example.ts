/** A receiver, for tests. */

import type { LineageReceiver } from "../../../api/types";

export function receiver(more: Partial<LineageReceiver> = {}): LineageReceiver {
  return {
    url: "https://catalog.example.com/api/v1/lineage",
    namespace: "weir.demo",
    enabled: true,
    has_key: false,
    revision: 1,
    sent_at: null,
    failed_at: null,
    error: "",
    attempts: 0,
    waiting: 0,
    waiting_since: null,
    next_try_at: null,
    sent: 0,
    failed: 0,
    ...more,
  };
}

/** What the form of the receiver holds, and the request it becomes. No React. */

import type { LineageReceiver, LineageReceiverChange } from "../../../api/types";

export interface ReceiverDraft {
  url: string;
  namespace: string;
  /** empty: the one that is set stays */
  key: string;
  removeKey: boolean;
}

export function draftOf(known: LineageReceiver | null): ReceiverDraft {
  return { url: known?.url ?? "", namespace: known?.namespace ?? "", key: "", removeKey: false };
}

/** Scheme, host and port, as the server compares them; null for what is no URL. */
function origin(url: string): string | null {
  return URL.canParse(url.trim()) ? new URL(url.trim()).origin : null;
}

/** True if the key that is set was given for another host than the draft's: it has to be entered again. */
export function needsKey({ url, key, removeKey }: ReceiverDraft, known: LineageReceiver | null): boolean {
  return known !== null && known.has_key && !key && !removeKey && origin(url) !== origin(known.url);
}

export function keyText(draft: ReceiverDraft, known: LineageReceiver | null): string {
  if (!known?.has_key) return "Sent as a bearer token. Stored encrypted; never shown again.";
  if (draft.removeKey) return "Will be removed";
  return needsKey(draft, known)
    ? "Enter it again, or remove it: the host changed"
    : "A key is set. Leave empty to keep it.";
}

export function changeOf(draft: ReceiverDraft, known: LineageReceiver | null): LineageReceiverChange {
  return {
    url: draft.url.trim(),
    namespace: draft.namespace.trim(),
    key: draft.removeKey ? "" : draft.key || null,
    enabled: known?.enabled ?? true,
  };
}

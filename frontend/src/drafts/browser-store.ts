/** Keeps texts in this browser. One without room for them lets the page go on, which says so. No React. */

/** Where a draft is kept. */
export function draftKey(name: string): string {
  return `weir.draft.${name}`;
}

let isFull = false;
const listeners = new Set<() => void>();

function tell(next: boolean): void {
  if (next === isFull) return;
  isFull = next;
  // A draft may be kept while something is drawn, which must not draw something else.
  queueMicrotask(() => {
    for (const listener of listeners) listener();
  });
}

function isOfRoom(error: unknown): boolean {
  return (
    error instanceof DOMException &&
    (error.name === "QuotaExceededError" || error.name === "NS_ERROR_DOM_QUOTA_REACHED")
  );
}

/** Keeps a text under a key. Without room for it what was kept before stays. */
export function keep(store: Pick<Storage, "setItem">, key: string, text: string): void {
  try {
    store.setItem(key, text);
    tell(false);
  } catch (error) {
    if (!isOfRoom(error)) throw error;
    tell(true);
  }
}

/** True while the last text found no room. */
export function isStoreFull(): boolean {
  return isFull;
}

export function onStoreFull(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

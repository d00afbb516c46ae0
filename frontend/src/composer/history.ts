/** Undo and redo of a document's text, whichever view changed it. No React. */

export interface History {
  /** texts to go back to, the newest last */
  past: readonly string[];
  future: readonly string[];
  /** when the last text came, in ms; typing goes on for a while */
  at: number;
}

export const NO_HISTORY: History = { past: [], future: [], at: 0 };
const KEPT = 200;
const TYPING_MS = 1_000;

/**
 * @param before the text until now
 * @param next the text after an edit; letters typed one after the other are one edit
 * @param now in ms
 */
export function withEdit(history: History, before: string, next: string, now: number): History {
  if (before === next) return history;
  const goesOn = history.past.length > 0 && now - history.at < TYPING_MS && isTyping(before, next);
  const past = goesOn ? history.past : [...history.past, before].slice(-KEPT);
  return { past, future: [], at: isTyping(before, next) ? now : 0 };
}

/** @returns the text before the last edit, and the history then; null if there is none */
export function undone({ past, future }: History, text: string): { text: string; history: History } | null {
  const last = past.at(-1);
  if (last === undefined) return null;
  return { text: last, history: { past: past.slice(0, -1), future: [text, ...future], at: 0 } };
}

/** @returns the text that was undone last, and the history then; null if there is none */
export function redone({ past, future }: History, text: string): { text: string; history: History } | null {
  const [next, ...rest] = future;
  if (next === undefined) return null;
  return { text: next, history: { past: [...past, text], future: rest, at: 0 } };
}

/** Whether two texts differ by a letter or two in one place. */
function isTyping(before: string, next: string): boolean {
  const { from, to, insert } = changeBetween(before, next);
  return to - from <= 2 && insert.length <= 2;
}

/** The smallest range that differs: it is replaced by `insert`. */
export function changeBetween(before: string, next: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(before.length, next.length);
  let from = 0;
  while (from < shorter && before[from] === next[from]) from += 1;
  let tail = 0;
  while (tail < shorter - from && before[before.length - 1 - tail] === next[next.length - 1 - tail])
    tail += 1;
  return { from, to: before.length - tail, insert: next.slice(from, next.length - tail) };
}

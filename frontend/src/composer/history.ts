/** Undo and redo of a document, whichever view changed it. No React. */

import type { TypedSql } from "./sql/typed-sql";

/** A document's text, and SQL as it was typed beside it; null: the SQL is what the text says. */
export interface Entry {
  text: string;
  sql: TypedSql | null;
}

export interface History {
  /** what to go back to, the newest last */
  past: readonly Entry[];
  future: readonly Entry[];
  /** when the last text came, in ms; typing goes on for a while */
  at: number;
}

export const NO_HISTORY: History = { past: [], future: [], at: 0 };
const KEPT = 200;
const TYPING_MS = 1_000;

/**
 * The history of a text: none where it was changed from outside, as what was undone then was made of another.
 *
 * @param kept the text that the last edit gave, and its history
 */
export function historyOf(kept: { text: string; history: History }, text: string): History {
  return kept.text === text ? kept.history : NO_HISTORY;
}

/**
 * @param before what was shown until now
 * @param next what is shown after an edit; letters typed one after the other are one edit
 * @param now in ms
 */
export function withEdit(history: History, before: Entry, next: Entry, now: number): History {
  if (before.text === next.text && before.sql?.text === next.sql?.text) return history;
  const goesOn = history.past.length > 0 && now - history.at < TYPING_MS && isTyping(before, next);
  const past = goesOn ? history.past : [...history.past, before].slice(-KEPT);
  return { past, future: [], at: isTyping(before, next) ? now : 0 };
}

/** @returns what was before the last edit, and the history then; null if there is none */
export function undone({ past, future }: History, shown: Entry): { shown: Entry; history: History } | null {
  const last = past.at(-1);
  if (last === undefined) return null;
  return { shown: last, history: { past: past.slice(0, -1), future: [shown, ...future], at: 0 } };
}

/** @returns what was undone last, and the history then; null if there is none */
export function redone({ past, future }: History, shown: Entry): { shown: Entry; history: History } | null {
  const [next, ...rest] = future;
  if (next === undefined) return null;
  return { shown: next, history: { past: [...past, shown], future: rest, at: 0 } };
}

/** Whether a letter or two were typed in one place, of the SQL where that is what is edited. */
function isTyping(before: Entry, next: Entry): boolean {
  if (before.sql && next.sql && before.sql.text !== next.sql.text)
    return isShort(before.sql.text, next.sql.text);
  return before.text !== next.text && isShort(before.text, next.text);
}

function isShort(before: string, next: string): boolean {
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

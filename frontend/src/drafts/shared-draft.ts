/** The draft of something that others change too: it knows what it began from. No React. */

import { draftKey, keep } from "./browser-store";

/** What is stored on the server. */
export interface Stored<T> {
  /** grows with each change */
  revision: number;
  value: T;
  /** who saved it; empty: unknown */
  by: string;
}

/** What a person has written, and what it was written from. */
export interface Draft<T> {
  original: Stored<T>;
  value: T;
}

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Texts kept by an earlier release begin otherwise, and are read as none. */
const FORMAT = "1:";

/** @returns null where this browser has none of that name, or none that this page can read */
export function readDraft<T>(store: Pick<Store, "getItem">, name: string): Draft<T> | null {
  return parsed(store.getItem(draftKey(name)));
}

function parsed<T>(kept: string | null): Draft<T> | null {
  if (!kept?.startsWith(FORMAT)) return null;
  try {
    return JSON.parse(kept.slice(FORMAT.length)) as Draft<T>;
  } catch (error) {
    if (error instanceof SyntaxError) return null; // cut off, as by a full storage
    throw error;
  }
}

/**
 * Whether another tab has kept something else under a draft's name.
 *
 * @param kept by the other tab; null: it has taken its draft away
 */
export function isOther<T>({ value }: Draft<T>, kept: string | null, stored: Stored<T>): boolean {
  return !isSame(value, (parsed<T>(kept) ?? draftOf(stored)).value);
}

/** Keeps a draft in this browser as long as it differs from what it began from. */
export function writeDraft<T>(store: Store, name: string, draft: Draft<T>): void {
  if (isChanged(draft)) keep(store, draftKey(name), FORMAT + JSON.stringify(draft));
  else store.removeItem(draftKey(name));
}

export function dropDraft(store: Pick<Store, "removeItem">, name: string): void {
  store.removeItem(draftKey(name));
}

export function draftOf<T>(stored: Stored<T>): Draft<T> {
  return { original: stored, value: stored.value };
}

export function isChanged<T>({ original, value }: Draft<T>): boolean {
  return !isSame(original.value, value);
}

/** Whether two say the same: a database may give the members of an object in another order. */
function isSame<T>(a: T, b: T): boolean {
  return JSON.stringify(a, inOrder) === JSON.stringify(b, inOrder);
}

/** For `JSON.stringify`: the members of objects by name. */
export function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What somebody saved after the draft was begun; null: nothing. */
export function newerThan<T>({ original }: Draft<T>, stored: Stored<T>): Stored<T> | null {
  return stored.revision > original.revision ? stored : null;
}

/**
 * What a draft still says once `sent` was saved of it: what was written while it was, now over the saved one.
 * Null: nothing.
 */
export function writtenSince<T>({ value }: Draft<T>, sent: T, saved: Stored<T>): Draft<T> | null {
  return isSame(value, sent) ? null : { original: saved, value };
}

/**
 * The draft beside what is stored now: one that says nothing of its own follows it. That may be its own save
 * whose answer was lost, or came when its editor was closed.
 */
export function followed<T>(draft: Draft<T>, stored: Stored<T>): Draft<T> {
  if (!newerThan(draft, stored)) return draft;
  return isChanged(draft) && !isSame(draft.value, stored.value) ? draft : draftOf(stored);
}

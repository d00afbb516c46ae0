/** SQL as it was typed, beside the document that it is read into. No React. */

import { keep } from "../../drafts/browser-store";
import type { Start } from "./use-sql-reading";

export interface TypedSql {
  text: string;
  /** the last text that could be read */
  read: string;
  /** the document that says what `read` says */
  yaml: string;
  start: Start;
  /** the document was changed elsewhere before this text could be read: it says less than the document */
  diverged: boolean;
}

/** Nothing was read from it yet: it is no part of the document. */
export function isUnread(sql: TypedSql | null): sql is TypedSql {
  return sql !== null && sql.read !== sql.text;
}

const keyOf = (name: string) => `weir.sql.${name}`;

/** Keeps SQL that is in no document yet; what was read is there already. */
export function writeTypedSql(
  storage: Pick<Storage, "setItem" | "removeItem">,
  name: string,
  sql: TypedSql | null,
): void {
  if (isUnread(sql)) keep(storage, keyOf(name), JSON.stringify(sql));
  else storage.removeItem(keyOf(name));
}

/** @returns null where this browser has none of that draft */
export function readTypedSql(storage: Pick<Storage, "getItem">, name: string): TypedSql | null {
  const kept = storage.getItem(keyOf(name));
  if (kept === null) return null;
  try {
    return JSON.parse(kept) as TypedSql;
  } catch (error) {
    if (error instanceof SyntaxError) return null; // cut off, as by a full storage
    throw error;
  }
}

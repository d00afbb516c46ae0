import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { historyOf, NO_HISTORY, redone, undone, withEdit, type Entry, type History } from "./history";
import { readTypedSql, writeTypedSql, type TypedSql } from "./sql/typed-sql";

export interface DocumentHistory {
  /** changes the text, so that it can be undone */
  setText: (text: string) => void;
  /** SQL as it was typed; null: as the text says it */
  sql: TypedSql | null;
  /** changes the SQL, so that it can be undone */
  setSql: (sql: TypedSql) => void;
  /** what the last edit comes to, once it is read: no edit of its own */
  amend: (entry: Entry) => void;
  undo: () => void;
  redo: () => void;
  /** forgets what could be undone, and what was typed and not read */
  clear: () => void;
  canUndo: boolean;
  canRedo: boolean;
}

/**
 * Undo and redo of a text over all its views.
 *
 * @param name under which this browser keeps SQL that can't be read yet; left out: the text has no SQL
 */
export function useHistory(text: string, set: (text: string) => void, name?: string): DocumentHistory {
  const [kept, setHistory] = useState({ text, history: NO_HISTORY });
  const history = historyOf(kept, text);
  const [sql, setSqlKept] = useState(() =>
    name === undefined ? null : readTypedSql(window.localStorage, name),
  );
  const now = useRef({ shown: { text, sql }, history });
  useLayoutEffect(() => {
    now.current = { shown: { text, sql }, history };
  }, [text, sql, history]);
  const put = useCallback(
    (next: { shown: Entry; history: History } | null) => {
      if (!next) return;
      const before = now.current.shown;
      now.current = next;
      setHistory({ text: next.shown.text, history: next.history });
      setSqlKept(next.shown.sql);
      // What this tab hasn't touched may be another tab's.
      if (name !== undefined && next.shown.sql !== before.sql)
        writeTypedSql(window.localStorage, name, next.shown.sql);
      if (next.shown.text !== before.text) set(next.shown.text);
    },
    [set, name],
  );
  const edit = useCallback(
    (next: Entry) => {
      const { history: before, shown } = now.current;
      put({ shown: next, history: withEdit(before, shown, next, Date.now()) });
    },
    [put],
  );
  const setText = useCallback(
    (next: string) => {
      edit({ text: next, sql: now.current.shown.sql });
    },
    [edit],
  );
  const setSql = useCallback(
    (next: TypedSql) => {
      edit({ text: now.current.shown.text, sql: next });
    },
    [edit],
  );
  const amend = useCallback(
    (shown: Entry) => {
      put({ shown, history: now.current.history });
    },
    [put],
  );
  const undo = useCallback(() => {
    put(undone(now.current.history, now.current.shown));
  }, [put]);
  const redo = useCallback(() => {
    put(redone(now.current.history, now.current.shown));
  }, [put]);
  const clear = useCallback(() => {
    put({ shown: { text: now.current.shown.text, sql: null }, history: NO_HISTORY });
  }, [put]);
  const canUndo = history.past.length > 0;
  return { setText, sql, setSql, amend, undo, redo, clear, canUndo, canRedo: history.future.length > 0 };
}

import { useMemo } from "react";
import { useToSql } from "../../api/documents";
import { asPlain, saySame } from "../document-merge";
import { plainOf } from "../document-text";
import type { DocumentHistory } from "../use-history";
import { emptySql } from "./head";
import type { SqlProblem } from "./problems";
import { isUnread, type TypedSql } from "./typed-sql";
import { useSqlReading, type Start } from "./use-sql-reading";

export interface SqlDocument {
  /** null: not loaded, or `refused` says why there is none */
  text: string | null;
  type: (text: string) => void;
  problems: readonly SqlProblem[];
  /** the document says what is shown, and that has no errors */
  ready: boolean;
  refused: ReturnType<typeof useToSql>["data"];
  /** why it can't be loaded, or read */
  failed: unknown;
  /** what is typed is no part of the document yet */
  unread: boolean;
  /** and the document was changed in another view since */
  diverged: boolean;
  /** shows the document instead of what is typed */
  discard: () => void;
}

/**
 * A document's text as SQL. What is typed changes the document as soon as it can be read; until then it is
 * kept, whatever other views change.
 */
export function useSqlDocument(yaml: string, history: DocumentHistory, active: boolean): SqlDocument {
  const typed = history.sql;
  const isCurrent = useMemo(() => typed !== null && saySame(typed.yaml, yaml), [typed, yaml]);
  const unread = isUnread(typed);
  const kept = unread || isCurrent ? typed : null;
  const diverged = kept !== null && unread && (kept.diverged || !isCurrent);
  const empty = useMemo(() => (active && !kept ? emptySql(yaml) : null), [active, kept, yaml]);
  const written = useToSql(yaml, active && !kept && empty === null);
  const found = empty ?? (written.data?.text || null);
  const text = kept?.text ?? found;
  const name = useMemo(() => (active ? nameOf(yaml) : ""), [active, yaml]);
  const start = startOf(kept, yaml, found ?? "", name);
  const { problems, ready, failed } = useSqlReading({
    text,
    start,
    active,
    unread,
    onRead: (next) => {
      if (!kept) return;
      const says = { text: kept.text, read: kept.text, yaml: next, start, diverged: false };
      history.amend({ text: next, sql: diverged ? null : says });
    },
  });
  const refused = text === null ? written.data : undefined;
  return {
    text,
    type: (next) => {
      if (next !== text) history.setSql({ text: next, read: kept?.read ?? start.sql, yaml, start, diverged });
    },
    problems,
    ready: (!active && !unread) || refused !== undefined || ready,
    refused,
    failed: text === null ? written.error : failed,
    unread: unread && problems.length > 0,
    diverged,
    discard: () => {
      history.amend({ text: yaml, sql: null });
    },
  };
}

/** Where the YAML got other words or comments since, it is where merging starts. */
function startOf(kept: TypedSql | null, yaml: string, sql: string, name: string): Start {
  if (kept?.yaml === yaml) return kept.start;
  if (kept) return { yaml, sql: kept.read, name: kept.start.name };
  return { yaml, sql, name };
}

function nameOf(yaml: string): string {
  const name = asPlain(plainOf(yaml))?.["name"];
  return typeof name === "string" ? name : "";
}

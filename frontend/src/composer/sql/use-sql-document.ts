import { useMemo, useState } from "react";
import { useToSql } from "../../api/documents";
import { asPlain, same } from "../document-merge";
import { plainOf } from "../document-text";
import { emptySql } from "./head";
import type { SqlProblem } from "./problems";
import { useSqlReading, type Start } from "./use-sql-reading";

/** SQL as typed; `yaml` says what its last readable text, `read`, says. */
interface Typed {
  text: string;
  read: string;
  yaml: string;
  start: Start;
}

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
}

/** A document's text as SQL. What is typed changes the document as soon as it can be read. */
export function useSqlDocument(yaml: string, onChange: (yaml: string) => void, active: boolean): SqlDocument {
  const [typed, setTyped] = useState<Typed | null>(null);
  const kept = useMemo(() => (typed && saySame(typed.yaml, yaml) ? typed : null), [typed, yaml]);
  const empty = useMemo(() => (active && !kept ? emptySql(yaml) : null), [active, kept, yaml]);
  const written = useToSql(yaml, active && !kept && empty === null);
  const found = empty ?? (written.data?.text || null);
  const text = kept?.text ?? found;
  const name = useMemo(() => (active ? nameOf(yaml) : ""), [active, yaml]);
  const start = startOf(kept, yaml, found ?? "", name);
  const unread = kept !== null && kept.read !== kept.text;
  const { problems, ready, failed } = useSqlReading({
    text,
    start,
    active,
    unread,
    onRead: (next) => {
      if (!kept) return;
      setTyped({ text: kept.text, read: kept.text, yaml: next, start });
      if (next !== yaml) onChange(next);
    },
  });
  const refused = text === null ? written.data : undefined;
  return {
    text,
    type: (next) => {
      setTyped({ text: next, read: kept?.read ?? start.sql, yaml, start });
    },
    problems,
    ready: !active || refused !== undefined || ready,
    refused,
    failed: text === null ? written.error : failed,
  };
}

/** Where the YAML got other words or comments since, it is where merging starts. */
function startOf(kept: Typed | null, yaml: string, sql: string, name: string): Start {
  if (kept?.yaml === yaml) return kept.start;
  if (kept) return { yaml, sql: kept.read, name: kept.start.name };
  return { yaml, sql, name };
}

function nameOf(yaml: string): string {
  const name = asPlain(plainOf(yaml))?.["name"];
  return typeof name === "string" ? name : "";
}

function saySame(a: string, b: string): boolean {
  return a === b || same(plainOf(a), plainOf(b));
}

import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useMemo } from "react";
import { useFromSql } from "../../api/documents";
import { useFrozenWhilePressed } from "../../ui/use-frozen-value";
import { asPlain, mergeDocument } from "../document-merge";
import { TYPING_PAUSE_MS } from "../use-document";
import { locateSql, type SqlProblem } from "./problems";

/**
 * The YAML and SQL of one document, from which typing began. Each edit is merged into this YAML, so that a
 * comment is back as soon as what it is about is back.
 */
export interface Start {
  yaml: string;
  sql: string;
  /** the job's, if the SQL sets none */
  name: string;
}

interface Reading {
  /** null: there is none to read */
  text: string | null;
  start: Start;
  active: boolean;
  /** the text was typed, and nothing was read from it yet */
  unread: boolean;
  /** gets the YAML of an unread text once that is read */
  onRead: (yaml: string) => void;
}

const NONE: readonly SqlProblem[] = [];

/** What the server reads in SQL text, after a pause in typing. */
export function useSqlReading({ text, start, active, unread, onRead }: Reading) {
  const [settled] = useDebouncedValue(text, TYPING_PAUSE_MS);
  const reading = useFromSql(settled ?? "", start.name, (active || unread) && settled !== null);
  const base = useFromSql(start.sql, start.name, unread);
  const isAnswered = settled === text && !reading.isPlaceholderData;
  const document = isAnswered ? asPlain(reading.data?.document) : null;
  const isBaseKnown = !base.isPending && !base.isPlaceholderData;

  useEffect(() => {
    if (unread && document && isBaseKnown)
      onRead(mergeDocument(start.yaml, document, asPlain(base.data?.document)));
  }, [unread, document, isBaseKnown, onRead, start.yaml, base.data]);

  const answer = useFrozenWhilePressed(reading.data);
  const problems = useMemo(
    () => (answer && settled !== null ? locateSql(settled, answer.problems, answer.document !== null) : NONE),
    [answer, settled],
  );
  const isSound = reading.data?.problems.every(({ severity }) => severity !== "error") ?? false;
  return { problems, ready: document !== null && !unread && isSound, failed: reading.error };
}

import { useDebouncedValue } from "@mantine/hooks";
import { useMemo } from "react";
import { useCheck } from "../api/documents";
import { useFrozenWhilePressed } from "../ui/use-frozen-value";
import type { CarriedStreams } from "./carried-streams";
import { locate, syntaxProblems } from "./document-text";

export const TYPING_PAUSE_MS = 250;

/** A document with its problems: syntax errors at once, the server's check after a pause in typing. */
export function useDocument(text: string, streams: CarriedStreams | null = null) {
  const [settled] = useDebouncedValue(text, TYPING_PAUSE_MS);
  const check = useCheck(settled, streams);
  const checked = useFrozenWhilePressed(check.data);
  const found = checked?.problems;
  const problems = useMemo(() => {
    const broken = syntaxProblems(text);
    return broken.length ? broken : locate(text, found ?? []);
  }, [text, found]);
  const upToDate =
    settled === text && !check.isPlaceholderData && checked !== undefined && checked === check.data;
  const errors = problems.filter(({ problem }) => problem.severity === "error").length;
  return { problems, checked, failed: check.error, ready: upToDate && errors === 0 };
}

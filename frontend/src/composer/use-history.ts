import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { NO_HISTORY, redone, undone, withEdit, type History } from "./history";

export interface DocumentHistory {
  /** changes the text, so that it can be undone */
  setText: (text: string) => void;
  undo: () => void;
  redo: () => void;
  canUndo: boolean;
  canRedo: boolean;
}

/** Undo and redo of a text over all its views. */
export function useHistory(text: string, set: (text: string) => void): DocumentHistory {
  const [history, setHistory] = useState<History>(NO_HISTORY);
  const now = useRef({ text, history });
  useLayoutEffect(() => {
    now.current = { text, history };
  }, [text, history]);
  const put = useCallback(
    (next: { text: string; history: History } | null) => {
      if (!next) return;
      now.current = next;
      setHistory(next.history);
      set(next.text);
    },
    [set],
  );
  const setText = useCallback(
    (next: string) => {
      put({ text: next, history: withEdit(now.current.history, now.current.text, next, Date.now()) });
    },
    [put],
  );
  const undo = useCallback(() => {
    put(undone(now.current.history, now.current.text));
  }, [put]);
  const redo = useCallback(() => {
    put(redone(now.current.history, now.current.text));
  }, [put]);
  return { setText, undo, redo, canUndo: history.past.length > 0, canRedo: history.future.length > 0 };
}

import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { draftKey, keep } from "./browser-store";
import type { DraftOfTabs } from "./changed-elsewhere";
import { useOtherTab } from "./other-tab";

/** Whether this browser has a draft of this name. */
export function hasDraft(storage: Pick<Storage, "getItem">, name: string): boolean {
  return storage.getItem(draftKey(name)) !== null;
}

/** Makes this text the draft of this name, where no page shows it. */
export function keepDraft(storage: Pick<Storage, "setItem">, name: string, text: string): void {
  keep(storage, draftKey(name), text);
}

/**
 * A text that survives a reload, in this browser only. `forget` takes it away; so does `created`, once
 * something was made of `sent`, and gives what was written meanwhile.
 */
export function useDraft(
  name: string,
  initial: string,
): DraftOfTabs & {
  text: string;
  setText: (text: string) => void;
  forget: () => void;
  created: (sent: string) => string | null;
  kept: boolean;
} {
  const key = draftKey(name);
  const [text, setState] = useState(() => window.localStorage.getItem(key) ?? initial);
  const { kept, forget: forgetOther } = useOtherTab(name);
  const setText = useCallback(
    (next: string) => {
      forgetOther();
      setState(next);
      keep(window.localStorage, key, next);
    },
    [key, forgetOther],
  );
  const forget = useCallback(() => {
    forgetOther();
    window.localStorage.removeItem(key);
    setState(initial);
  }, [key, initial, forgetOther]);
  const written = useRef(text);
  useLayoutEffect(() => {
    written.current = text;
  }, [text]);
  const created = (sent: string) => {
    const rest = written.current;
    forget();
    return rest === sent ? null : rest;
  };
  return {
    text,
    setText,
    forget,
    created,
    kept: text !== initial,
    isElsewhere: kept !== undefined && (kept ?? initial) !== text,
    keepHere: () => {
      setText(text);
    },
  };
}

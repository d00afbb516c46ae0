import { useCallback, useState } from "react";

/** A text that survives a reload, in this browser only. `forget` takes it away once it is saved. */
export function useDraft(
  name: string,
  initial: string,
): { text: string; setText: (text: string) => void; forget: () => void; kept: boolean } {
  const key = `weir.draft.${name}`;
  const [text, setState] = useState(() => window.localStorage.getItem(key) ?? initial);
  const setText = useCallback(
    (next: string) => {
      setState(next);
      window.localStorage.setItem(key, next);
    },
    [key],
  );
  const forget = useCallback(() => {
    window.localStorage.removeItem(key);
    setState(initial);
  }, [key, initial]);
  return { text, setText, forget, kept: text !== initial };
}

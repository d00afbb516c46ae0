import { useCallback, useLayoutEffect, useRef, useState } from "react";
import type { DraftOfTabs } from "./changed-elsewhere";
import { useOtherTab } from "./other-tab";
import {
  draftOf,
  dropDraft,
  followed,
  isChanged,
  isOther,
  newerThan,
  readDraft,
  writeDraft,
  writtenSince,
  type Draft,
  type Stored,
} from "./shared-draft";

export interface SharedDraft<T> extends DraftOfTabs {
  value: T;
  setValue: (next: T | ((before: T) => T)) => void;
  /** what the draft began from: saving names its revision */
  original: Stored<T>;
  /** what somebody saved since; null: nothing */
  newer: Stored<T> | null;
  changed: boolean;
  /** begun before this page was opened, and found again */
  restored: boolean;
  /** goes on with what is written, now over `newer` */
  keepMine: () => void;
  /** goes on from `newer` instead of what is written */
  takeTheirs: () => void;
  /**
   * Takes the draft away once `sent` was saved of it, as `now`. What was written meanwhile stays.
   *
   * @returns whether nothing stays
   */
  saved: (sent: T, now: Stored<T>) => boolean;
  /**
   * Takes the draft away once something new was made of `sent`.
   *
   * @returns what was written meanwhile, for the draft of the new thing; null: nothing
   */
  created: (sent: T) => { value: T } | null;
  /** takes the draft away, discarded */
  forget: () => void;
}

/**
 * A draft that is never taken away by what others save: `newer` tells of it.
 *
 * @param name under which this browser keeps it over reloads and other pages; null: it has secrets, and
 * lives as long as its form
 * @param stored what the server has now
 * @param begun what was made already; it is kept at once, where no draft is found
 */
export function useSharedDraft<T>(name: string | null, stored: Stored<T>, begun?: T): SharedDraft<T> {
  const [{ draft: kept, restored }, setKept] = useState(() => {
    const found = name === null ? null : readDraft<T>(window.localStorage, name);
    const first = found ?? { original: stored, value: begun ?? stored.value };
    if (name !== null && isChanged(first)) writeDraft(window.localStorage, name, followed(first, stored));
    return { draft: first, restored: found !== null };
  });
  const draft = followed(kept, stored);
  const { kept: keptElsewhere, forget: forgetOther } = useOtherTab(name);
  const put = (next: Draft<T>) => {
    forgetOther();
    if (name !== null) writeDraft(window.localStorage, name, next);
    setKept({ draft: next, restored: false });
  };
  const latest = useRef(stored);
  const written = useRef(draft);
  useLayoutEffect(() => {
    latest.current = stored;
    written.current = draft;
  }, [stored, draft]);
  const setValue = useCallback(
    (next: T | ((before: T) => T)) => {
      forgetOther();
      const newest = latest.current;
      setKept((before) => {
        const now = followed(before.draft, newest);
        const value = typeof next === "function" ? (next as (before: T) => T)(now.value) : next;
        const changed = { ...now, value };
        if (name !== null) writeDraft(window.localStorage, name, changed);
        return { draft: changed, restored: before.restored };
      });
    },
    [name, forgetOther],
  );
  const forget = () => {
    forgetOther();
    if (name !== null) dropDraft(window.localStorage, name);
    setKept({ draft: draftOf(stored), restored: false });
  };
  return {
    value: draft.value,
    setValue,
    original: draft.original,
    newer: newerThan(draft, stored),
    changed: isChanged(draft),
    restored: restored && isChanged(draft),
    isElsewhere: keptElsewhere !== undefined && isOther(draft, keptElsewhere, stored),
    keepHere: () => {
      put(draft);
    },
    keepMine: () => {
      put({ original: stored, value: draft.value });
    },
    takeTheirs: () => {
      put(draftOf(stored));
    },
    saved: (sent, now) => {
      const rest = writtenSince(written.current, sent, now);
      put(rest ?? draftOf(now));
      return rest === null;
    },
    created: (sent) => {
      const rest = writtenSince(written.current, sent, stored);
      forget();
      return rest;
    },
    forget,
  };
}

import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** A piece of the page's state that lives in its address, so that a link shows what its sender saw. */
export function useUrlState(name: string, fallback: string): [string, (value: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const set = useCallback(
    (value: string | null) => {
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === null || value === fallback) next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      );
    },
    [setSearch, name, fallback],
  );
  return [search.get(name) ?? fallback, set];
}

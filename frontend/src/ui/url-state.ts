import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** A piece of the page's state that lives in its address, so that a link shows what its sender saw. */
export function useUrlState(name: string, fallback: string): [string, (value: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const set = useCallback(
    (value: string | null) => {
      // Of the address as it is: another piece may have been set since this was rendered.
      setSearch(() => changedSearch(window.location.search, name, value === fallback ? null : value), {
        replace: true,
      });
    },
    [setSearch, name, fallback],
  );
  return [search.get(name) ?? fallback, set];
}

/** A query with one value set, or without it. */
export function changedSearch(search: string, name: string, value: string | null): URLSearchParams {
  const next = new URLSearchParams(search);
  if (value === null) next.delete(name);
  else next.set(name, value);
  return next;
}

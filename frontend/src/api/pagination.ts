/** Lists that come in pages, the newest first. */

export interface PageOf {
  cursor?: string;
}
interface Page<T> {
  next?: string | null;
  results: T[];
}

/** What to ask for the page after this one; undefined after the last. */
export function nextPage({ next }: Page<unknown>): PageOf | undefined {
  const cursor = next ? new URL(next, window.location.origin).searchParams.get("cursor") : null;
  return cursor ? { cursor } : undefined;
}

/** All rows of the pages that were read. */
export function rowsOf<T>({ pages }: { pages: readonly Page<T>[] }): { results: T[] } {
  return { results: pages.flatMap(({ results }) => results) };
}

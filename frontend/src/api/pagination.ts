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
export function rowsOf<T>({ pages }: { pages: readonly Page<T>[] }): { results: T[]; pages: number } {
  return { results: pages.flatMap(({ results }) => results), pages: pages.length };
}

interface Polled {
  state: { data: { pages: readonly unknown[] } | undefined };
}

/** How often to ask again for a list that changes: not for older pages, which would all be read each time. */
export function whileOnePage(ms: number): (query: Polled) => number | false {
  return ({ state: { data } }) => (data && data.pages.length > 1 ? false : ms);
}

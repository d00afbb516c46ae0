import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, unwrap } from "./client";
import { keys, type StreamRef } from "./query-keys";
import { withReadAt } from "./read-at";
import type { TablePage } from "./types";
import { useWorkspace } from "./workspace-context";

const PAGE = 50;
/** Pages of keys whose rows were all deleted that are read before somebody has to ask for more. */
const MAX_EMPTY_PAGES = 20;

/** True while the newest page is unfinished or has no row, others follow, and not too many were empty. */
export function goesOnByItself(pages: readonly Pick<TablePage, "complete" | "rows" | "next">[]): boolean {
  const last = pages.at(-1);
  if (!last?.next) return false;
  if (!last.complete) return true;
  const found = pages.findLastIndex(({ rows }) => rows.length > 0);
  const empty = pages.slice(found + 1).filter(({ complete }) => complete).length;
  return empty > 0 && empty < MAX_EMPTY_PAGES;
}

/**
 * Rows of a table by key. A page needs a scan of the whole topic; unfinished scans are continued
 * automatically, and so are pages without rows, until `stop`.
 *
 * @returns `goesOn`: more is being loaded by itself; `goOn` loads more where it does not
 */
export function useTableRows(ref: StreamRef) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  const queryKey = keys.tableRows(slug, ref);
  // The newest page when somebody asked for more: empty pages count from here.
  const [from, setFrom] = useState(0);
  const [stopped, setStopped] = useState(false);
  const table = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      withReadAt(
        unwrap(
          api.GET("/api/v1/workspaces/{slug}/streams/{name}/table", {
            params: {
              path: { slug, name: ref.stream },
              query: { limit: PAGE, ...(pageParam && { cursor: pageParam }) },
            },
            signal,
          }),
        ),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    retry: false,
    staleTime: Infinity,
  });
  const goesOn = !stopped && goesOnByItself(table.data?.pages.slice(from) ?? []);
  useContinueScan(table, goesOn);
  return {
    table,
    goesOn,
    goOn: () => {
      setFrom(Math.max(0, (table.data?.pages.length ?? 0) - 1));
      setStopped(false);
      void table.fetchNextPage();
    },
    stop: () => {
      setStopped(true);
      void client.cancelQueries({ queryKey, exact: true });
    },
  };
}

/** The row of one key, searched until it is found or the whole topic was scanned. */
export function useTableRow(ref: StreamRef, key: string) {
  const { slug } = useWorkspace();
  const found = useInfiniteQuery({
    queryKey: keys.tableRow(slug, ref, key),
    queryFn: ({ pageParam, signal }) =>
      withReadAt(
        unwrap(
          api.GET("/api/v1/workspaces/{slug}/streams/{name}/table/row", {
            params: {
              path: { slug, name: ref.stream },
              query: { key, ...(pageParam && { cursor: pageParam }) },
            },
            signal,
          }),
        ),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    enabled: key !== "",
    retry: false,
    staleTime: Infinity,
  });
  useContinueScan(found, found.data?.pages.at(-1)?.state === "searching");
  return found;
}

function useContinueScan(
  query: { fetchNextPage: () => unknown; isFetching: boolean; error: unknown },
  unfinished: boolean,
) {
  const { fetchNextPage, isFetching, error } = query;
  useEffect(() => {
    if (unfinished && !isFetching && !error) void fetchNextPage();
  }, [unfinished, isFetching, error, fetchNextPage]);
}

import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import { useWorkspace } from "./workspace-context";

const PAGE = 50;

/**
 * Rows of a table by key. A page needs a scan of the whole topic; unfinished scans are continued
 * automatically.
 */
export function useTableRows(name: string) {
  const { slug } = useWorkspace();
  const rows = useInfiniteQuery({
    queryKey: keys.tableRows(slug, name),
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/streams/{name}/table", {
          params: { path: { slug, name }, query: { limit: PAGE, ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    retry: false,
    staleTime: Infinity,
  });
  useContinueScan(rows, rows.data?.pages.at(-1)?.complete === false);
  return rows;
}

/** The row of one key, searched until it is found or the whole topic was scanned. */
export function useTableRow(name: string, key: string) {
  const { slug } = useWorkspace();
  const found = useInfiniteQuery({
    queryKey: keys.tableRow(slug, name, key),
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/streams/{name}/table/row", {
          params: { path: { slug, name }, query: { key, ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
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

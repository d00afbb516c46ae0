import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { api, unwrap } from "./client";
import { nextPage, rowsOf } from "./pagination";
import { keys, type AuditFilter } from "./query-keys";
import type { AuditEvent } from "./types";
import { useWorkspace } from "./workspace-context";

/** Who did what, newest first; for owners. */
export function useAuditTrail(filter: AuditFilter) {
  const { slug } = useWorkspace();
  return useInfiniteQuery({
    queryKey: keys.auditTrail(slug, filter),
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/audit-trail", {
          params: { path: { slug }, query: { ...filter, ...pageParam } },
        }),
      ),
    initialPageParam: {},
    getNextPageParam: nextPage,
    select: rowsOf<AuditEvent>,
    placeholderData: keepPreviousData,
  });
}

/** The address of a file with all events that the filter lets through. */
export function auditExportAddress(workspace: string, filter: AuditFilter, format: "csv" | "jsonl"): string {
  const query = new URLSearchParams({ ...filter, format });
  return `/api/v1/workspaces/${encodeURIComponent(workspace)}/audit-trail/export?${query.toString()}`;
}

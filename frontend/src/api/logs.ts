import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { LogStore } from "../live/log-store";
import { api, unwrap } from "./client";
import { useChannel } from "./live";
import { keys, type LogFilter } from "./query-keys";
import type { LogLine, LogPage } from "./types";
import { useWorkspace } from "./workspace-context";

const PAGE_LINES = 200;
const EXPORT_LINES = 500; // the most that one request gives

function page(
  slug: string,
  jobId: string,
  filter: LogFilter,
  limit: number,
  cursor?: string,
): Promise<LogPage> {
  return unwrap(
    api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/logs", {
      params: { path: { slug, job_id: jobId }, query: { ...filter, limit, ...(cursor && { cursor }) } },
    }),
  );
}

/** The lines of a run, newest first, in pages. */
export function useLogPages(jobId: string, filter: LogFilter) {
  const { slug } = useWorkspace();
  return useInfiniteQuery({
    queryKey: keys.logs(slug, jobId, filter),
    queryFn: ({ pageParam }) => page(slug, jobId, filter, PAGE_LINES, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** All lines of a run that the filter lets through, newest first: a few requests at most. */
export async function everyLine(slug: string, jobId: string, filter: LogFilter): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  let cursor: string | null | undefined;
  do {
    const next: LogPage = await page(slug, jobId, filter, EXPORT_LINES, cursor ?? undefined);
    lines.push(...next.lines);
    cursor = next.cursor;
  } while (cursor);
  return lines;
}

/** Lines of the job's runs as they come, by run. What may have been missed meanwhile is read again. */
export function useLiveLog(jobId: string): ReadonlyMap<string, readonly LogLine[]> {
  const [store] = useState(() => new LogStore());
  useChannel(`logs/${jobId}`, store, store.apply);
  const { slug } = useWorkspace();
  const client = useQueryClient();
  const live = useSyncExternalStore(store.onChange, store.get);
  useEffect(() => {
    if (live.gaps) void client.invalidateQueries({ queryKey: keys.logsOf(slug, jobId) });
  }, [client, slug, jobId, live.gaps]);
  return live.lines;
}

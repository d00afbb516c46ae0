/** Histories of jobs and consumer groups, and what happened around them. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { LAST_HOUR, rangeQuery, type HistoryRange } from "../history/range";
import { api, unwrap } from "./client";
import { orUntilAnswered } from "./query-client";
import { keys } from "./query-keys";
import { useWorkspace } from "./workspace-context";

/** The finest points are ten seconds; longer ranges change slowly, and those of the past not at all. */
function interval({ minutes, until }: HistoryRange): number | false {
  if (until !== null) return false;
  return minutes <= 60 ? 10_000 : 60_000;
}

/** Of a job; the last hour by default. */
export function useJobHistory(id: string, range: HistoryRange = LAST_HOUR, enabled = true) {
  const { slug } = useWorkspace();
  return useQuery({
    enabled,
    queryKey: keys.history(slug, id, range),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/lag/history", {
          params: { path: { slug, job_id: id }, query: rangeQuery(range) },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: orUntilAnswered(interval(range)),
  });
}

export function useGroupHistory(
  cluster: string,
  name: string,
  topic: string,
  range: HistoryRange,
  enabled = true,
) {
  const { slug } = useWorkspace();
  return useQuery({
    enabled,
    queryKey: keys.groupHistory(slug, cluster, name, range, topic),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/consumer-group-history/{cluster}/{group}", {
          params: { path: { slug, cluster, group: name }, query: { ...rangeQuery(range), topic } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: orUntilAnswered(interval(range)),
  });
}

export function useJobMarks(id: string, range: HistoryRange) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.jobMarks(slug, id, range),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/marks", {
          params: { path: { slug, job_id: id }, query: rangeQuery(range) },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: orUntilAnswered(interval(range)),
  });
}

export function useGroupMarks(cluster: string, name: string, range: HistoryRange) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.groupMarks(slug, cluster, name, range),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/consumer-group-marks/{cluster}/{group}", {
          params: { path: { slug, cluster, group: name }, query: rangeQuery(range) },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: orUntilAnswered(interval(range)),
  });
}

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, api, unwrap } from "./client";
import { rememberCommand, withAskedAt } from "./freshness";
import { orUntilAnswered } from "./query-client";
import { keys } from "./query-keys";
import { nextPage, rowsOf, whileOnePage } from "./pagination";
import type { View } from "../composer/view";
import type { DrawingMoves, Run, StartRequest } from "./types";
import { useWorkspace } from "./workspace-context";

export function useJobs() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.jobs(slug),
    queryFn: () =>
      withAskedAt(keys.jobs(slug), () =>
        unwrap(api.GET("/api/v1/workspaces/{slug}/jobs", { params: { path: { slug } } })),
      ),
    refetchInterval: 10_000,
  });
}

export function useJob(id: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.job(slug, id),
    queryFn: () =>
      withAskedAt(keys.job(slug, id), () =>
        unwrap(
          api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}", { params: { path: { slug, job_id: id } } }),
        ),
      ),
    refetchInterval: 5_000,
  });
}

export function useRuns(id: string) {
  const { slug } = useWorkspace();
  return useInfiniteQuery({
    queryKey: keys.runs(slug, id),
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/runs", {
          params: { path: { slug, job_id: id }, query: { ...pageParam } },
        }),
      ),
    initialPageParam: {},
    getNextPageParam: nextPage,
    select: rowsOf<Run>,
    refetchInterval: whileOnePage(3_000),
  });
}

export function useLag(id: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.lag(slug, id),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/lag", { params: { path: { slug, job_id: id } } }),
      ),
    refetchInterval: 10_000,
  });
}

/**
 * Why the job gives no output. Each answer reads records, so it is asked for only while it is shown; one
 * about a key reads many, and only when somebody asks.
 *
 * @param asked a key, empty for all rows; an output, empty for the result
 */
export function useDiagnosis(id: string, asked: { key: string; output: string }) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.diagnosis(slug, id, asked.key, asked.output),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/diagnosis", {
          params: { path: { slug, job_id: id }, query: asked },
        }),
      ),
    refetchInterval: orUntilAnswered(asked.key ? false : 15_000),
  });
}

/** What made a row of a job's result; read once, since the row's records don't change. */
export function useRowInputs(id: string, key: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.rowInputs(slug, id, key),
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/jobs/{job_id}/row-inputs", {
          params: { path: { slug, job_id: id } },
          body: { key },
        }),
      ),
    retry: false,
    refetchOnWindowFocus: false,
  });
}

/** Creates a job and starts it; `refused` says why a job that is there now was not started. */
export function useCreateJob() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({
      document,
      drawing,
      view,
      start,
    }: {
      document: string;
      drawing: DrawingMoves;
      view: View;
      start: StartRequest | null;
    }) => {
      const job = await unwrap(
        api.POST("/api/v1/workspaces/{slug}/jobs", {
          params: { path: { slug } },
          body: { document, drawing, view },
        }),
      );
      if (!start) return { job, refused: null };
      try {
        await unwrap(
          api.POST("/api/v1/workspaces/{slug}/jobs/{job_id}/start", {
            params: { path: { slug, job_id: job.id } },
            body: start,
          }),
        );
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { job, refused: error.message };
      }
      return { job, refused: null };
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.jobs(slug), exact: true }),
  });
}

/** What a start of a version can do; asked when somebody is about to start it. */
export function useStartOptions(id: string, version: number, enabled: boolean) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.startOptions(slug, id, version),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/start", {
          params: { path: { slug, job_id: id }, query: { version } },
        }),
      ),
    enabled,
  });
}

export function useStartJob(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: StartRequest) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/jobs/{job_id}/start", {
          params: { path: { slug, job_id: id } },
          body,
        }),
      ),
    onSuccess: () => {
      rememberCommand(id);
      return client.invalidateQueries({ queryKey: keys.job(slug, id) });
    },
  });
}

export function useStopJob(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/jobs/{job_id}/stop", { params: { path: { slug, job_id: id } } }),
      ),
    onSuccess: () => {
      rememberCommand(id);
      return client.invalidateQueries({ queryKey: keys.job(slug, id) });
    },
  });
}

export function deletionKey(id: string): readonly string[] {
  return ["delete job", id];
}

export function useDeleteJob(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationKey: deletionKey(id),
    mutationFn: () =>
      unwrap(
        api.DELETE("/api/v1/workspaces/{slug}/jobs/{job_id}", { params: { path: { slug, job_id: id } } }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.jobs(slug), exact: true }),
  });
}

/** Where all stored rows of a job can be downloaded. */
export function exportAddress(workspace: string, id: string, format: "jsonl" | "csv"): string {
  const job = `/api/v1/workspaces/${encodeURIComponent(workspace)}/jobs/${encodeURIComponent(id)}`;
  return `${job}/results/export?format=${format}`;
}

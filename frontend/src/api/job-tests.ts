import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, isOutdated } from "./api-error";
import { withBigIntegers } from "./big-integers";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import type { JobTestRun } from "./types";
import { useWorkspace } from "./workspace-context";

export const FOLLOWING_MS = 700;
const CALM_MS = 15_000;

export function isLive(run: JobTestRun | null | undefined): boolean {
  return run?.state === "queued" || run?.state === "preparing" || run?.state === "running";
}

/** The tests of a version and how they stand; asked for often while they run. */
export function useJobTests(id: string, version: number, enabled = true) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.jobTests(slug, id, version),
    queryFn: async () =>
      withBigIntegers(
        await unwrap(
          api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/tests", {
            params: { path: { slug, job_id: id }, query: { version } },
          }),
        ),
      ),
    refetchInterval: ({ state }) => (isLive(state.data?.run) ? FOLLOWING_MS : CALM_MS),
    enabled,
  });
}

export function useJobTest(id: string, test: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.jobTest(slug, id, test),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/tests/{test_id}", {
          params: { path: { slug, job_id: id, test_id: test } },
        }),
      ),
    staleTime: 0,
  });
}

/** All problems of a test document, while it is being written. */
export function useTestCheck(id: string, text: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.testCheck(slug, id, text),
    queryFn: ({ signal }) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/jobs/{job_id}/test-check", {
          params: { path: { slug, job_id: id } },
          body: { document: text },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

function useRefresh(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [...keys.job(slug, id), "tests"] });
}

/** Saves a test: a new one without an id, otherwise from the job's newest version on. */
export function useSaveTest(id: string) {
  const { slug } = useWorkspace();
  const refresh = useRefresh(id);
  return useMutation({
    mutationFn: ({ text, test }: { text: string; test: { id: string; revision: number } | null }) =>
      test
        ? unwrap(
            api.PUT("/api/v1/workspaces/{slug}/jobs/{job_id}/tests/{test_id}", {
              params: { path: { slug, job_id: id, test_id: test.id } },
              body: { document: text, revision: test.revision },
            }),
          )
        : unwrap(
            api.POST("/api/v1/workspaces/{slug}/jobs/{job_id}/tests", {
              params: { path: { slug, job_id: id } },
              body: { document: text },
            }),
          ),
    onSuccess: refresh,
    onError: (error) => {
      if (isOutdated(error)) void refresh();
    },
  });
}

export function useDeleteTest(id: string) {
  const { slug } = useWorkspace();
  const refresh = useRefresh(id);
  return useMutation({
    mutationFn: (test: string) =>
      unwrap(
        api.DELETE("/api/v1/workspaces/{slug}/jobs/{job_id}/tests/{test_id}", {
          params: { path: { slug, job_id: id, test_id: test } },
        }),
      ),
    onSuccess: refresh,
  });
}

/** Runs tests of a version; null: all. */
export function useRunTests(id: string, version: number) {
  const { slug } = useWorkspace();
  const refresh = useRefresh(id);
  return useMutation({
    mutationFn: (tests: string[] | null) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/jobs/{job_id}/test-runs", {
          params: { path: { slug, job_id: id } },
          body: { version, tests },
        }),
      ),
    onSuccess: refresh,
  });
}

export function useCancelTestRun(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  const refresh = useRefresh(id);
  return useMutation({
    mutationFn: (run: string) =>
      unwrap(
        api.DELETE("/api/v1/workspaces/{slug}/jobs/{job_id}/test-runs/{test_run_id}", {
          params: { path: { slug, job_id: id, test_run_id: run } },
        }),
      ),
    onSuccess: (run) => {
      client.setQueryData(keys.testRun(slug, id, run.id), run);
      return refresh();
    },
  });
}

/** Runs a test that is not saved. */
export function useRunDraft(id: string) {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: (text: string) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/jobs/{job_id}/test-drafts", {
          params: { path: { slug, job_id: id } },
          body: { document: text },
        }),
      ),
  });
}

/** When a run is asked for again: until it has ended, or was removed to make room for later ones. */
export function whileRunning({
  state,
}: {
  state: { data: JobTestRun | undefined; error: unknown };
}): number | false {
  if (isGone(state.error)) return false;
  return state.data && !isLive(state.data) ? false : FOLLOWING_MS;
}

/** Nothing is there any more. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** How far a run is; asked for until it has ended. */
export function useTestRun(id: string, run: string | null) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.testRun(slug, id, run ?? ""),
    queryFn: async () =>
      withBigIntegers(
        await unwrap(
          api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/test-runs/{test_run_id}", {
            params: { path: { slug, job_id: id, test_run_id: run ?? "" } },
          }),
        ),
      ),
    enabled: run !== null,
    refetchInterval: whileRunning,
  });
}

/** Which records of a stream become a test. */
export interface CaptureChoice {
  kind: "newest" | "time" | "key";
  /** local date and time */
  time: string;
  key: string;
}

/** Scans of one stream at most: each reads some seconds. */
const MOST_SCANS = 10;

/** Records of a stream as a test has them, with their own bytes and arrival; and whether there are more. */
export function useLiveRecords() {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: async ({
      stream,
      count,
      choice,
    }: {
      stream: string;
      count: number;
      choice: CaptureChoice;
    }) => {
      const { kind, time, key } = choice;
      const read = (limit: number, cursor: string | null) =>
        unwrap(
          api.GET("/api/v1/workspaces/{slug}/streams/{name}/records", {
            params: {
              path: { slug, name: stream },
              query: {
                from: kind === "time" ? "time" : "newest",
                limit,
                ...(kind === "time" && { time: new Date(time).toISOString() }),
                ...(kind === "key" && { key, key_as: "auto" as const }),
                ...(cursor !== null && { cursor }),
              },
            },
          }),
        );
      return readThrough(read, count);
    },
  });
}

interface RecordPage<Each> {
  records: readonly Each[];
  /** cursor of what a scan did not reach */
  next: string | null;
}

/** So many records, scan by scan: one may end before it has found any. */
export async function readThrough<Each>(
  read: (limit: number, cursor: string | null) => Promise<RecordPage<Each>>,
  count: number,
): Promise<{ records: Each[]; more: boolean }> {
  const records: Each[] = [];
  let next: string | null = null;
  for (let scan = 0; scan < MOST_SCANS; scan += 1) {
    const page = await read(count - records.length, next);
    records.push(...page.records);
    next = page.next;
    if (next === null || records.length >= count) break;
  }
  return { records, more: next !== null };
}

/** Where the results of a version's tests can be downloaded as JUnit XML. */
export function junitAddress(workspace: string, id: string, version: number): string {
  const job = `/api/v1/workspaces/${encodeURIComponent(workspace)}/jobs/${encodeURIComponent(id)}`;
  return `${job}/test-report?version=${String(version)}`;
}

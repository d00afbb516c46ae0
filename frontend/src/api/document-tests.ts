/** Tests of documents that no job has, over streams that come with them. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { CarriedStreams } from "../composer/carried-streams";
import { withBigIntegers } from "./big-integers";
import { api, unwrap } from "./client";
import { whileRunning } from "./job-tests";
import { keys } from "./query-keys";
import { useWorkspace } from "./workspace-context";

export interface TestedDocument {
  document: string;
  streams: CarriedStreams;
  test: string;
}

/** All problems of a test document, while it is being written. */
export function useDocumentTestCheck(asked: TestedDocument) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.documentTestCheck(slug, asked),
    queryFn: ({ signal }) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/documents/test-check", {
          params: { path: { slug } },
          body: asked,
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

/** Runs a test; a run of the same person that is not over ends. */
export function useTestDocument() {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: (asked: TestedDocument) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/documents/test-runs", {
          params: { path: { slug } },
          body: asked,
        }),
      ),
  });
}

/** How far a run is; asked for until it has ended. */
export function useDocumentTestRun(run: string | null) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.documentTestRun(slug, run ?? ""),
    queryFn: async () =>
      withBigIntegers(
        await unwrap(
          api.GET("/api/v1/workspaces/{slug}/documents/test-runs/{test_run_id}", {
            params: { path: { slug, test_run_id: run ?? "" } },
          }),
        ),
      ),
    enabled: run !== null,
    refetchInterval: whileRunning,
  });
}

export function useCancelDocumentTest() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (run: string) =>
      unwrap(
        api.DELETE("/api/v1/workspaces/{slug}/documents/test-runs/{test_run_id}", {
          params: { path: { slug, test_run_id: run } },
        }),
      ),
    onSuccess: (run) => {
      client.setQueryData(keys.documentTestRun(slug, run.id), run);
    },
  });
}

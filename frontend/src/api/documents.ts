/** Documents: checking while typing, versions, and what an edit would mean. */

import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, unwrap } from "./client";
import { ApiError } from "./api-error";
import { keys, type Load } from "./query-keys";
import { nextPage, rowsOf } from "./pagination";
import type { CarriedStreams } from "../composer/carried-streams";
import type { View } from "../composer/view";
import type { Version } from "./types";
import { useWorkspace } from "./workspace-context";

/**
 * What the server finds in this text; keeps the last answer while the next is on its way.
 *
 * @param streams contracts that come with the document; null: it reads registered streams
 */
export function useCheck(text: string, streams: CarriedStreams | null = null) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.check(slug, text, streams),
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/documents/check", {
          params: { path: { slug } },
          body: { document: text, ...(streams && { streams }) },
        }),
      ),
    enabled: text.trim() !== "",
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
  });
}

/** How large the state of each step becomes under this load; asked for once `enabled` is true. */
export function useForecast(text: string, load: Load, enabled = true) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.forecast(slug, text, load),
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/documents/forecast", {
          params: { path: { slug } },
          body: { document: text, ...load },
        }),
      ),
    enabled,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
  });
}

/** Rates and numbers of keys as the document's streams show them now; asked for once `enabled` is true. */
export function useMeasuredLoad(text: string, enabled = true) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.measuredLoad(slug, text),
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/documents/measured-load", {
          params: { path: { slug } },
          body: { document: text },
        }),
      ),
    enabled,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 60_000,
  });
}

/** The document as a stand-alone script, or why there is none; fetched once `enabled` is true. */
export function useScript(text: string, enabled: boolean) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.script(slug, text),
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/documents/script", {
          params: { path: { slug } },
          body: { document: text },
        }),
      ),
    enabled,
    staleTime: 30_000,
    gcTime: 60_000,
  });
}

/** The document as SQL, or why there is none. */
export function useToSql(text: string, enabled: boolean) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.toSql(slug, text),
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/documents/to-sql", {
          params: { path: { slug } },
          body: { document: text },
        }),
      ),
    enabled,
    staleTime: Infinity,
    gcTime: 60_000,
  });
}

/** The document that SQL statements are, with problems; `name` is the job's, unless the text sets one. */
export function useFromSql(sql: string, name: string, enabled: boolean) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.fromSql(slug, sql, name),
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/documents/sql", {
          params: { path: { slug } },
          body: { text: sql, name },
        }),
      ),
    enabled,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
  });
}

/** One version, which never changes once it is made. */
export function useVersion(id: string, version: number) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.version(slug, id, version),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/versions/{version}", {
          params: { path: { slug, job_id: id, version } },
        }),
      ),
    // The version before is shown until this one is there, of the same job alone.
    placeholderData: (before, query) => (query?.queryKey[2] === id ? before : undefined),
    staleTime: Infinity,
  });
}

/** All versions; `newest` is the number of the newest that is known, so that they are read again after it. */
export function useVersions(id: string, newest: number) {
  const { slug } = useWorkspace();
  return useInfiniteQuery({
    queryKey: keys.versions(slug, id, newest),
    placeholderData: (before, query) => (query?.queryKey[2] === id ? before : undefined),
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/versions", {
          params: { path: { slug, job_id: id }, query: { ...pageParam } },
        }),
      ),
    initialPageParam: {},
    getNextPageParam: nextPage,
    select: rowsOf<Version>,
  });
}

/** How a document differs from a version (null: the newest), and whether it can keep the existing state. */
export function useJobDiff(id: string, text: string, enabled: boolean, base: number | null = null) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.diff(slug, id, text, base),
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/jobs/{job_id}/diff", {
          params: { path: { slug, job_id: id } },
          body: { document: text, base },
        }),
      ),
    enabled: enabled && text.trim() !== "",
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
}

export interface NewVersion {
  document: string;
  note: string;
  /** refuses the version if it does the other; left out: either is meant */
  expected?: "same_state" | "new_generation";
  /** number of the version that the document was written from; refused once there is a newer one */
  base: number;
  /** in which it was written; empty: in none, and the job's stays */
  view: View | "";
}

export function useAddVersion(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewVersion) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/jobs/{job_id}/versions", {
          params: { path: { slug, job_id: id } },
          body,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.job(slug, id) }),
    // The editor says which version came meanwhile, and what an edit does to what runs by now: it has to know
    // both at once.
    onError: (error) => {
      if (error instanceof ApiError && error.status === 409)
        void client.invalidateQueries({ queryKey: keys.job(slug, id) });
    },
  });
}

/** What documents may use: functions, measures, operators. */
export function useFunctions() {
  return useQuery({
    queryKey: keys.functions,
    queryFn: () => unwrap(api.GET("/api/v1/functions")),
    staleTime: Infinity,
  });
}

export function useExamples() {
  return useQuery({
    queryKey: keys.examples,
    queryFn: () => unwrap(api.GET("/api/v1/examples")),
    staleTime: 60_000,
  });
}

export function useInstallExample() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/examples/{example_id}", {
          params: { path: { slug, example_id: id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: [slug] }),
  });
}

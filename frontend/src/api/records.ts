import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, unwrap } from "./client";
import { keys, type TopicRef, type RecordsQuery } from "./query-keys";
import type { NewRecord } from "./types";
import { useWorkspace } from "./workspace-context";

const PAGE = 50;
const MAX_SLICE_RECORDS = 500;
/** Of records as JSON; a request may have 2 MiB. */
const MAX_SLICE_BYTES = 1_500_000;

/** Records page by page; `fetchNextPage` continues where the last scan stopped. */
export function useRecords(ref: TopicRef, filter: RecordsQuery, enabled: boolean) {
  const { slug } = useWorkspace();
  const { partition, ...where } = filter;
  return useInfiniteQuery({
    queryKey: keys.records(slug, ref, filter),
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...where,
        limit: PAGE,
        ...(partition !== null && { partition }),
        ...(pageParam && { cursor: pageParam }),
      };
      return "stream" in ref
        ? unwrap(
            api.GET("/api/v1/workspaces/{slug}/streams/{name}/records", {
              params: { path: { slug, name: ref.stream }, query },
              signal,
            }),
          )
        : unwrap(
            api.GET("/api/v1/workspaces/{slug}/clusters/{cluster}/topics/{topic}/records", {
              params: { path: { slug, ...ref }, query },
              signal,
            }),
          );
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    enabled,
    retry: false,
    staleTime: Infinity,
  });
}

/** A record in full, with its raw bytes. */
export function useRecordDetail(ref: TopicRef, partition: number, offset: number, enabled: boolean) {
  const { slug } = useWorkspace();
  const at = { partition, offset };
  return useQuery({
    queryKey: keys.record(slug, ref, partition, offset),
    queryFn: () =>
      "stream" in ref
        ? unwrap(
            api.GET("/api/v1/workspaces/{slug}/streams/{name}/records/{partition}/{offset}", {
              params: { path: { slug, name: ref.stream, ...at } },
            }),
          )
        : unwrap(
            api.GET(
              "/api/v1/workspaces/{slug}/clusters/{cluster}/topics/{topic}/records/{partition}/{offset}",
              { params: { path: { slug, ...ref, ...at } } },
            ),
          ),
    enabled,
    staleTime: Infinity,
  });
}

export interface Produced {
  written: number;
  of: number;
  last: { partition: number; offset: number } | null;
}

interface Slice<T> {
  /** Index of the first of them. */
  at: number;
  records: T[];
}

/** Records in their order, in slices that fit a request each; a larger record is alone in its slice. */
export function slicesOf<T>(records: readonly T[]): Slice<T>[] {
  const encoder = new TextEncoder();
  const slices: Slice<T>[] = [];
  let size = 0;
  for (const [at, record] of records.entries()) {
    const bytes = encoder.encode(JSON.stringify(record)).length + 1;
    const last = slices.at(-1);
    if (last && last.records.length < MAX_SLICE_RECORDS && size + bytes <= MAX_SLICE_BYTES) {
      last.records.push(record);
      size += bytes;
    } else {
      slices.push({ at, records: [record] });
      size = bytes;
    }
  }
  return slices;
}

/**
 * Writes the records of a file in several requests; `onProgress` is called after each. A failed request stops
 * the upload; records written before it stay.
 */
export function useProduce(stream: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({
      records,
      onProgress,
    }: {
      records: readonly NewRecord[];
      onProgress: (done: Produced) => void;
    }) => {
      const done: Produced = { written: 0, of: records.length, last: null };
      for (const { at, records: part } of slicesOf(records)) {
        const body = { records: part, first_record_number: at + 1 };
        const { written } = await unwrap(
          api.POST("/api/v1/workspaces/{slug}/streams/{name}/records", {
            params: { path: { slug, name: stream } },
            body,
          }),
        );
        done.written += written.length;
        done.last = written.at(-1) ?? done.last;
        onProgress({ ...done });
      }
      return done;
    },
    onSettled: () => client.invalidateQueries({ queryKey: [slug, "records", { stream }] }),
  });
}

interface NumberedLine {
  number: number;
  text: string;
}

/**
 * Lines of a file that break the contract, each with its reason; nothing is written. `onProgress` gets the
 * number of checked lines.
 */
export function useCheckLines(stream: string) {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: async ({
      lines,
      onProgress,
    }: {
      lines: readonly NumberedLine[];
      onProgress: (checked: number) => void;
    }) => {
      const invalid: { line: number; message: string }[] = [];
      for (const { at, records: part } of slicesOf(lines.map(({ text }) => ({ line: text })))) {
        onProgress(at);
        const body = { records: part, first_record_number: at + 1 };
        const { errors } = await unwrap(
          api.POST("/api/v1/workspaces/{slug}/streams/{name}/records/check", {
            params: { path: { slug, name: stream } },
            body,
          }),
        );
        for (const { record, message } of errors)
          invalid.push({ line: lines[at + record]?.number ?? 0, message });
      }
      return invalid;
    },
  });
}

export const MAX_EXPORTED = 100_000;

/** Where what a filter finds can be downloaded, at most so many records. */
export function exportAddress(
  workspace: string,
  ref: TopicRef,
  filter: RecordsQuery,
  format: "jsonl" | "csv",
  limit: number,
): string {
  const { from, partition, offset, time, until, key, key_as, where } = filter;
  const parameters = {
    from,
    partition,
    offset,
    time,
    until,
    key,
    key_as: key === undefined ? undefined : key_as,
    where,
    format,
    limit,
  };
  const query = new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)]],
    ),
  );
  const of =
    "stream" in ref
      ? `streams/${encodeURIComponent(ref.stream)}`
      : `clusters/${encodeURIComponent(ref.cluster)}/topics/${encodeURIComponent(ref.topic)}`;
  return `/api/v1/workspaces/${encodeURIComponent(workspace)}/${of}/export?${query.toString()}`;
}

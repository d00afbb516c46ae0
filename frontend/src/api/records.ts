import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { Delivery } from "./api-error";
import { api, ApiError, unwrap } from "./client";
import { keys, type RecordRef, type RecordsQuery, type TopicRef } from "./query-keys";
import { withReadAt } from "./read-at";
import type { NewRecord, Stream } from "./types";
import {
  uploadTo,
  type InvalidLine,
  type Line,
  type LoadedFile,
  type Produced,
  type UploadCalls,
} from "./uploads";
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
      return withReadAt(
        "stream" in ref
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
            ),
      );
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    enabled,
    retry: false,
    staleTime: Infinity,
  });
}

/** A record in full, with its raw bytes. */
export function useRecordDetail(ref: RecordRef, partition: number, offset: number, enabled: boolean) {
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
    // By a contract that isn't known the record is read each time it is opened.
    staleTime: "topic" in ref ? Infinity : 0,
  });
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

/** What became of a request's records, by index, where it failed. */
function deliveryOf(error: unknown, records: number): Delivery {
  if (error instanceof ApiError && error.delivery) return error.delivery;
  // Of the server's own failures only this one says that nothing was sent to Kafka.
  const refused =
    error instanceof ApiError &&
    ((error.status >= 400 && error.status < 500) || error.code === "BROKER_UNREACHABLE");
  const written = Array.from({ length: records }, () => null);
  return { written, unsure: refused ? [] : [...written.keys()] };
}

/**
 * Writes records in several requests. A failed one stops it; records that were written stay.
 *
 * @param send writes the records of a request, the first of which has this number, and returns their places
 * @param onProgress is called after each request, a failed one too
 * @throws what `send` throws
 */
export async function produceAll<T>(
  records: readonly T[],
  send: (records: T[], firstNumber: number) => Promise<Delivery["written"]>,
  onProgress: (done: Produced) => void,
): Promise<Produced> {
  let done: Produced = { written: 0, of: records.length, last: null, missing: [], unsure: [] };
  const add = (written: Delivery["written"]) => {
    const confirmed = written.filter((place) => place !== null);
    done = { ...done, written: done.written + confirmed.length, last: confirmed.at(-1) ?? done.last };
  };
  for (const { at, records: part } of slicesOf(records)) {
    try {
      add(await send(part, at + 1));
    } catch (error) {
      const { written, unsure } = deliveryOf(error, part.length);
      add(written);
      const isOpen = (index: number) => !written[index] && !unsure.includes(index);
      const rest = Array.from({ length: records.length - at }, (_, index) => index);
      onProgress({
        ...done,
        missing: rest.filter(isOpen).map((index) => at + index),
        unsure: unsure.filter((index) => !written[index]).map((index) => at + index),
      });
      throw error;
    }
    onProgress(done);
  }
  return done;
}

/** Writes records, as `produceAll` does. */
export function useProduce({ name, cluster, topic }: Stream) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({
      records,
      onProgress,
    }: {
      records: readonly NewRecord[];
      onProgress: (done: Produced) => void;
    }) =>
      produceAll(
        records,
        async (part, firstNumber) => {
          const { written } = await unwrap(
            api.POST("/api/v1/workspaces/{slug}/streams/{name}/records", {
              params: { path: { slug, name } },
              body: { records: part, first_record_number: firstNumber },
            }),
          );
          return written;
        },
        onProgress,
      ),
    // Reset, not only invalidated: “No row with this key” isn't shown while the topic is scanned again.
    onSettled: () =>
      Promise.all(keys.readFrom(slug, cluster, topic).map((queryKey) => client.resetQueries({ queryKey }))),
  });
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
      lines: readonly Line[];
      onProgress: (checked: number) => void;
    }) => {
      const invalid: InvalidLine[] = [];
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

/** The upload of a file to a stream, which goes on when its page is left. */
export function useUpload(stream: Stream) {
  const { slug } = useWorkspace();
  const { mutateAsync: check } = useCheckLines(stream.name);
  const { mutateAsync: produce } = useProduce(stream);
  const upload = uploadTo(slug, stream.name);
  const state = useSyncExternalStore(upload.subscribe, upload.getState, upload.getState);
  const calls: UploadCalls = {
    check: (lines, onProgress) => check({ lines, onProgress }),
    write: (lines, onProgress) => produce({ records: lines.map(({ text }) => ({ line: text })), onProgress }),
  };
  return {
    state,
    begin: (file: LoadedFile | null) => void upload.begin(file, calls),
    write: (lines: readonly Line[], earlier: readonly Line[]) => void upload.write(lines, earlier, calls),
  };
}

export const MAX_EXPORTED = 100_000;

/** Where what a filter finds can be downloaded, at most so many records. */
export function exportAddress(
  workspace: string,
  ref: RecordRef,
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

import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, take } from "./client";
import { keys, type RecordsPlace, type RecordsQuery } from "./keys";
import type { NewRecord } from "./types";
import { useWorkspace } from "./workspace";

const PAGE = 50;
const AT_ONCE = 500;

/** Records page by page; `fetchNextPage` goes on where the server stopped looking. */
export function useRecords(place: RecordsPlace, filter: RecordsQuery, enabled: boolean) {
  const { slug } = useWorkspace();
  const { partition, ...where } = filter;
  return useInfiniteQuery({
    queryKey: keys.records(slug, place, filter),
    queryFn: ({ pageParam, signal }) => {
      const query = { ...where, limit: PAGE, ...(partition !== null && { partition }), ...(pageParam && { cursor: pageParam }) };
      return "stream" in place
        ? take(api.GET("/api/v1/workspaces/{slug}/streams/{name}/records", { params: { path: { slug, name: place.stream }, query }, signal }))
        : take(api.GET("/api/v1/workspaces/{slug}/clusters/{cluster}/topics/{topic}/records", { params: { path: { slug, ...place }, query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    enabled,
    retry: false,
    staleTime: Infinity,
  });
}

/** A record with nothing cut, and its raw bytes. */
export function useWholeRecord(place: RecordsPlace, partition: number, offset: number, enabled: boolean) {
  const { slug } = useWorkspace();
  const at = { partition, offset };
  return useQuery({
    queryKey: keys.record(slug, place, partition, offset),
    queryFn: () =>
      "stream" in place
        ? take(api.GET("/api/v1/workspaces/{slug}/streams/{name}/records/{partition}/{offset}", { params: { path: { slug, name: place.stream, ...at } } }))
        : take(api.GET("/api/v1/workspaces/{slug}/clusters/{cluster}/topics/{topic}/records/{partition}/{offset}", { params: { path: { slug, ...place, ...at } } })),
    enabled,
    staleTime: Infinity,
  });
}

export interface Produced { written: number; of: number; last: { partition: number; offset: number } | null }

/** Writes records, a file's worth in several requests; `onProgress` hears of each. A refused request ends it: what came before is written. */
export function useProduce(stream: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ records, onProgress }: { records: readonly NewRecord[]; onProgress: (done: Produced) => void }) => {
      const done: Produced = { written: 0, of: records.length, last: null };
      for (let at = 0; at < records.length; at += AT_ONCE) {
        const body = { records: records.slice(at, at + AT_ONCE), first: at + 1 };
        const { written } = await take(api.POST("/api/v1/workspaces/{slug}/streams/{name}/records", { params: { path: { slug, name: stream } }, body }));
        done.written += written.length;
        done.last = written.at(-1) ?? done.last;
        onProgress({ ...done });
      }
      return done;
    },
    onSettled: () => client.invalidateQueries({ queryKey: [slug, "records", { stream }] }),
  });
}

interface NumberedLine { number: number; text: string }

/** Lines of a file that do not fit the contract, each with its cause; nothing is written. `onProgress` hears how many were checked. */
export function useCheckLines(stream: string) {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: async ({ lines, onProgress }: { lines: readonly NumberedLine[]; onProgress: (checked: number) => void }) => {
      const unfit: { line: number; message: string }[] = [];
      for (let at = 0; at < lines.length; at += AT_ONCE) {
        onProgress(at);
        const part = lines.slice(at, at + AT_ONCE);
        const body = { records: part.map(({ text }) => ({ line: text })), first: at + 1 };
        const { faults } = await take(api.POST("/api/v1/workspaces/{slug}/streams/{name}/records/check", { params: { path: { slug, name: stream } }, body }));
        for (const { record, message } of faults) unfit.push({ line: part[record]?.number ?? 0, message });
      }
      return unfit;
    },
  });
}

export const MOST_EXPORTED = 100_000;

/** Where what a filter finds can be downloaded, at most so many records. */
export function exportAddress(workspace: string, place: RecordsPlace, filter: RecordsQuery, format: "jsonl" | "csv", limit: number): string {
  const { from, partition, offset, time, until, key, key_as, where } = filter;
  const given = { from, partition, offset, time, until, key, key_as: key === undefined ? undefined : key_as, where, format, limit };
  const query = new URLSearchParams(Object.entries(given).flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, String(value)]])));
  const of = "stream" in place ? `streams/${encodeURIComponent(place.stream)}` : `clusters/${encodeURIComponent(place.cluster)}/topics/${encodeURIComponent(place.topic)}`;
  return `/api/v1/workspaces/${encodeURIComponent(workspace)}/${of}/export?${query.toString()}`;
}

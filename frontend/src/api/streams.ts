import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client";
import { keys, paths, type RecordsQuery } from "./paths";
import type { Inference, NewStream, Page, RecordPage, Stream, Topic } from "./types";
import { useWorkspace } from "./workspace";

export function useStreams() {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.streams(slug), queryFn: () => call<Page<Stream>>("GET", paths.streams(slug)), refetchInterval: 10_000 });
}

export function useStream(name: string) {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.stream(slug, name), queryFn: () => call<Stream>("GET", paths.stream(slug, name)) });
}

export function useTopics() {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.topics(slug), queryFn: () => call<Page<Topic>>("GET", paths.topics(slug)), staleTime: 10_000 });
}

/** Records page by page; `fetchNextPage` goes on where the server stopped looking. */
export function useRecords(name: string, filter: RecordsQuery, enabled: boolean) {
  const { slug } = useWorkspace();
  return useInfiniteQuery({
    queryKey: keys.records(slug, name, filter),
    queryFn: ({ pageParam }) =>
      call<RecordPage>("GET", paths.records(slug, name, pageParam ? { ...filter, cursor: pageParam } : filter)),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    enabled,
    staleTime: Infinity,
  });
}

export function useInference() {
  const { slug } = useWorkspace();
  return useMutation({ mutationFn: (topic: string) => call<Inference>("POST", paths.infer(slug), { topic, limit: 500 }) });
}

export function useRegisterStream() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewStream) => call<Stream>("POST", paths.streams(slug), body),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.streams(slug) }),
        client.invalidateQueries({ queryKey: keys.topics(slug) }),
      ]),
  });
}

export function useRemoveStream() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => call<null>("DELETE", paths.stream(slug, name)),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.streams(slug), exact: true }),
  });
}

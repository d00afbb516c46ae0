import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, take } from "./client";
import { keys, type RecordsQuery } from "./keys";
import type { NewStream } from "./types";
import { useWorkspace } from "./workspace";

const PAGE = 50;
const SAMPLE = 500;

export function useStreams() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.streams(slug),
    queryFn: () => take(api.GET("/api/v1/workspaces/{slug}/streams", { params: { path: { slug } } })),
    refetchInterval: 10_000,
  });
}

export function useStream(name: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.stream(slug, name),
    queryFn: () => take(api.GET("/api/v1/workspaces/{slug}/streams/{name}", { params: { path: { slug, name } } })),
    refetchInterval: 10_000,
  });
}

export function useTopics() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.topics(slug),
    queryFn: () => take(api.GET("/api/v1/workspaces/{slug}/topics", { params: { path: { slug } } })),
    staleTime: 10_000,
  });
}

/** Records page by page; `fetchNextPage` goes on where the server stopped looking. */
export function useRecords(name: string, filter: RecordsQuery, enabled: boolean) {
  const { slug } = useWorkspace();
  const { partition, ...where } = filter;
  return useInfiniteQuery({
    queryKey: keys.records(slug, name, filter),
    queryFn: ({ pageParam }) => {
      const query = { ...where, limit: PAGE, ...(partition !== null && { partition }), ...(pageParam && { cursor: pageParam }) };
      return take(api.GET("/api/v1/workspaces/{slug}/streams/{name}/records", { params: { path: { slug, name }, query } }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    enabled,
    staleTime: Infinity,
  });
}

export function useInference() {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: (topic: string) => take(api.POST("/api/v1/workspaces/{slug}/streams/infer", { params: { path: { slug } }, body: { topic, limit: SAMPLE } })),
  });
}

export function useRegisterStream() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewStream) => take(api.POST("/api/v1/workspaces/{slug}/streams", { params: { path: { slug } }, body })),
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
    mutationFn: (name: string) => take(api.DELETE("/api/v1/workspaces/{slug}/streams/{name}", { params: { path: { slug, name } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.streams(slug), exact: true }),
  });
}

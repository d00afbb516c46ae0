import {
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { api, unwrap } from "./client";
import { keys, type TopicPage } from "./query-keys";
import type { components } from "./schema";
import { useWorkspace } from "./workspace-context";

export const HOME = "home";

/** The topics of a cluster as it tells them now: who chooses one may just have made it elsewhere. */
export function useTopics(cluster: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.topics(slug, cluster),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/clusters/{cluster}/topics", {
          params: { path: { slug, cluster }, query: { fresh: true } },
        }),
      ),
    staleTime: 10_000,
    retry: false,
  });
}

export const TOPICS_PER_PAGE = 100;

/** How many pages a list has; an empty one has one. */
export function pagesOf(topics: number): number {
  return Math.max(1, Math.ceil(topics / TOPICS_PER_PAGE));
}

function fetchTopicPage(slug: string, cluster: string, { name, page }: TopicPage, fresh = false) {
  const query = {
    name,
    offset: (page - 1) * TOPICS_PER_PAGE,
    limit: TOPICS_PER_PAGE,
    ...(fresh && { fresh }),
  };
  return unwrap(
    api.GET("/api/v1/workspaces/{slug}/clusters/{cluster}/topics", {
      params: { path: { slug, cluster }, query },
    }),
  );
}

/** A page of a cluster's topics, each with the number of its records. */
export function useTopicPage(cluster: string, page: TopicPage) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.topicPage(slug, cluster, page),
    queryFn: () => fetchTopicPage(slug, cluster, page),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    retry: false,
  });
}

/** Asks the cluster now, however new the last answer is. */
export function useFreshTopics(cluster: string, page: TopicPage) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => fetchTopicPage(slug, cluster, page, true),
    onSuccess: (topics) => {
      client.setQueryData(keys.topicPage(slug, cluster, page), topics);
    },
  });
}

export function useTopic(cluster: string, topic: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.topic(slug, cluster, topic),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/clusters/{cluster}/topics/{topic}", {
          params: { path: { slug, cluster, topic } },
        }),
      ),
    refetchInterval: 10_000,
  });
}

/** The lists of a cluster's topics are old, but not what is known of each topic. */
function invalidateLists(client: QueryClient, slug: string, cluster: string) {
  return Promise.all([
    client.invalidateQueries({ queryKey: keys.topics(slug, cluster), exact: true }),
    client.invalidateQueries({ queryKey: keys.topicPages(slug, cluster) }),
  ]);
}

export function useCreateTopic(cluster: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: components["schemas"]["NewTopicRequest"]) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/clusters/{cluster}/topics", {
          params: { path: { slug, cluster } },
          body,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.topics(slug, cluster) }),
  });
}

export function useChangeTopic(cluster: string, topic: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: components["schemas"]["PatchedChangedTopicRequest"]) =>
      unwrap(
        api.PATCH("/api/v1/workspaces/{slug}/clusters/{cluster}/topics/{topic}", {
          params: { path: { slug, cluster, topic } },
          body,
        }),
      ),
    onSuccess: (detail) => {
      client.setQueryData(keys.topic(slug, cluster, topic), detail);
      return invalidateLists(client, slug, cluster);
    },
  });
}

export function useDeleteTopic(cluster: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (topic: string) =>
      unwrap(
        api.DELETE("/api/v1/workspaces/{slug}/clusters/{cluster}/topics/{topic}", {
          params: { path: { slug, cluster, topic } },
        }),
      ),
    onSuccess: (_, topic) => {
      // Another topic may get its name.
      for (const queryKey of keys.readFrom(slug, cluster, topic)) client.removeQueries({ queryKey });
      return invalidateLists(client, slug, cluster);
    },
  });
}

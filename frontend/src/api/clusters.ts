import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isOutdated } from "./api-error";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import type { Connection, ChangedCluster } from "./types";
import { useWorkspace } from "./workspace-context";

export function useClusters() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.clusters(slug),
    queryFn: () => unwrap(api.GET("/api/v1/workspaces/{slug}/clusters", { params: { path: { slug } } })),
    refetchInterval: 10_000,
  });
}

/** One cluster with the streams and jobs that use it. */
export function useCluster(id: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.cluster(slug, id),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/clusters/{cluster}", { params: { path: { slug, cluster: id } } }),
      ),
  });
}

/** Tests a connection before it is saved. Without a password, that of `cluster` is used. */
export function useTestConnection() {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: (body: Connection & { cluster: string | null }) =>
      unwrap(api.POST("/api/v1/workspaces/{slug}/clusters/test", { params: { path: { slug } }, body })),
  });
}

/** @param id of the cluster to change; null makes one */
export function useSaveCluster(id: string | null) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ChangedCluster) =>
      id === null
        ? unwrap(api.POST("/api/v1/workspaces/{slug}/clusters", { params: { path: { slug } }, body }))
        : unwrap(
            api.PUT("/api/v1/workspaces/{slug}/clusters/{cluster}", {
              params: { path: { slug, cluster: id } },
              body,
            }),
          ),
    onError: (error) => {
      if (isOutdated(error)) void client.invalidateQueries({ queryKey: keys.clusters(slug) });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.clusters(slug) }),
  });
}

export function useDeleteCluster() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.DELETE("/api/v1/workspaces/{slug}/clusters/{cluster}", {
          params: { path: { slug, cluster: id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.clusters(slug), exact: true }),
  });
}

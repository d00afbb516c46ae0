import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, take } from "./client";
import { keys } from "./keys";
import type { Connection, NewCluster } from "./types";
import { useWorkspace } from "./workspace";

export function useClusters() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.clusters(slug),
    queryFn: () => take(api.GET("/api/v1/workspaces/{slug}/clusters", { params: { path: { slug } } })),
    refetchInterval: 10_000,
  });
}

/** One cluster with the streams and jobs that use it. */
export function useCluster(id: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.cluster(slug, id),
    queryFn: () => take(api.GET("/api/v1/workspaces/{slug}/clusters/{cluster}", { params: { path: { slug, cluster: id } } })),
  });
}

/** Tries a connection that need not be saved. `cluster` lends its password where none is given. */
export function useTryCluster() {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: (body: Connection & { cluster: string | null }) => take(api.POST("/api/v1/workspaces/{slug}/clusters/try", { params: { path: { slug } }, body })),
  });
}

/** @param id of the cluster to change; null makes one */
export function useSaveCluster(id: string | null) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewCluster) =>
      id === null
        ? take(api.POST("/api/v1/workspaces/{slug}/clusters", { params: { path: { slug } }, body }))
        : take(api.PUT("/api/v1/workspaces/{slug}/clusters/{cluster}", { params: { path: { slug, cluster: id } }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.clusters(slug) }),
  });
}

export function useDeleteCluster() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => take(api.DELETE("/api/v1/workspaces/{slug}/clusters/{cluster}", { params: { path: { slug, cluster: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.clusters(slug), exact: true }),
  });
}

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isOutdated } from "./api-error";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import type { Dashboard, DashboardDocument } from "./types";
import { useWorkspace } from "./workspace-context";

export function useDashboards() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.dashboards(slug),
    queryFn: () => unwrap(api.GET("/api/v1/workspaces/{slug}/dashboards", { params: { path: { slug } } })),
  });
}

export function useDashboard(id: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.dashboard(slug, id),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/dashboards/{dashboard_id}", {
          params: { path: { slug, dashboard_id: id } },
        }),
      ),
    refetchInterval: 30_000,
  });
}

/** What panels can show: the live results of all jobs. */
export function useLiveOutputs() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.liveOutputs(slug),
    queryFn: () =>
      unwrap(api.GET("/api/v1/workspaces/{slug}/dashboard-outputs", { params: { path: { slug } } })),
    staleTime: 10_000,
  });
}

export function useCreateDashboard() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; document: DashboardDocument }) =>
      unwrap(api.POST("/api/v1/workspaces/{slug}/dashboards", { params: { path: { slug } }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.dashboards(slug), exact: true }),
  });
}

/** Saves on the revision that was read; fails with REVISION_OUTDATED when somebody else was faster. */
export function useChangeDashboard(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; document: DashboardDocument; revision: number }) =>
      unwrap(
        api.PUT("/api/v1/workspaces/{slug}/dashboards/{dashboard_id}", {
          params: { path: { slug, dashboard_id: id } },
          body,
        }),
      ),
    onError: (error) => {
      if (isOutdated(error)) void client.invalidateQueries({ queryKey: keys.dashboard(slug, id) });
    },
    onSuccess: (changed: Dashboard) => {
      client.setQueryData(keys.dashboard(slug, id), changed);
      return client.invalidateQueries({ queryKey: keys.dashboards(slug), exact: true });
    },
  });
}

export function useDeleteDashboard(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE("/api/v1/workspaces/{slug}/dashboards/{dashboard_id}", {
          params: { path: { slug, dashboard_id: id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.dashboards(slug), exact: true }),
  });
}

export function useShareLinks(id: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.shareLinks(slug, id),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/dashboards/{dashboard_id}/links", {
          params: { path: { slug, dashboard_id: id } },
        }),
      ),
  });
}

export function useCreateShareLink(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { note: string; days: number }) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/dashboards/{dashboard_id}/links", {
          params: { path: { slug, dashboard_id: id } },
          body,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.shareLinks(slug, id) }),
  });
}

export function useRevokeShareLink(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (link: string) =>
      unwrap(
        api.DELETE("/api/v1/workspaces/{slug}/dashboards/{dashboard_id}/links/{link_id}", {
          params: { path: { slug, dashboard_id: id, link_id: link } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.shareLinks(slug, id) }),
  });
}

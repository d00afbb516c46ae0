import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { api, unwrap } from "./client";
import { withAskedAt } from "./freshness";
import { keys } from "./query-keys";
import type { Engine, Member, OpenInvitation, Role } from "./types";
import { useWorkspace } from "./workspace-context";

/** What flows where. States of jobs come live; rates between them by asking again. */
export function useMap() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.map(slug),
    queryFn: () =>
      withAskedAt(keys.map(slug), () =>
        unwrap(api.GET("/api/v1/workspaces/{slug}/map", { params: { path: { slug } } })),
      ),
    refetchInterval: 5_000,
  });
}

export function useOverview() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.overview(slug),
    queryFn: () => unwrap(api.GET("/api/v1/workspaces/{slug}/overview", { params: { path: { slug } } })),
    refetchInterval: 5_000,
  });
}

export function useEngines() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.engines(slug),
    queryFn: () => unwrap(api.GET("/api/v1/workspaces/{slug}/engines", { params: { path: { slug } } })),
    refetchInterval: 5_000,
  });
}

export function useMembers() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.members(slug),
    queryFn: () => unwrap(api.GET("/api/v1/workspaces/{slug}/members", { params: { path: { slug } } })),
  });
}

/** Who changed may be oneself, who then may do less. */
function membersChanged(client: QueryClient, slug: string) {
  return Promise.all(
    [keys.members(slug), keys.session].map((queryKey) => client.invalidateQueries({ queryKey })),
  );
}

export function useChangeRole() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, role }: { id: Member["id"]; role: Role }) =>
      unwrap(
        api.PATCH("/api/v1/workspaces/{slug}/members/{member_id}", {
          params: { path: { slug, member_id: id } },
          body: { role },
        }),
      ),
    onSuccess: () => membersChanged(client, slug),
  });
}

/** Moves an engine's runs to the standby, then starts it again; for owners. */
export function useReplaceEngine() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: Engine["id"]) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/engines/{engine_id}/replace", {
          params: { path: { slug, engine_id: id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.engines(slug) }),
  });
}

/** Names that were offered a role and have not taken it; for owners. */
export function useInvitations() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.invitations(slug),
    queryFn: () => unwrap(api.GET("/api/v1/workspaces/{slug}/invitations", { params: { path: { slug } } })),
  });
}

export function useInvite() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { username: string; role: Role }) =>
      unwrap(api.POST("/api/v1/workspaces/{slug}/invitations", { params: { path: { slug } }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.invitations(slug) }),
  });
}

export function useWithdrawInvitation() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: OpenInvitation["id"]) =>
      unwrap(
        api.DELETE("/api/v1/workspaces/{slug}/invitations/{invitation_id}", {
          params: { path: { slug, invitation_id: id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.invitations(slug) }),
  });
}

export function useRemoveMember() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: Member["id"]) =>
      unwrap(
        api.DELETE("/api/v1/workspaces/{slug}/members/{member_id}", {
          params: { path: { slug, member_id: id } },
        }),
      ),
    onSuccess: () => membersChanged(client, slug),
  });
}

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client";
import { keys, paths } from "./paths";
import type { Cluster, Engine, Member, Overview, Page, Role } from "./types";
import { useWorkspace } from "./workspace";

export function useOverview() {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.overview(slug), queryFn: () => call<Overview>("GET", paths.overview(slug)), refetchInterval: 5_000 });
}

export function useEngines() {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.engines(slug), queryFn: () => call<Page<Engine>>("GET", paths.engines(slug)), refetchInterval: 5_000 });
}

export function useClusters() {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.clusters(slug), queryFn: () => call<Page<Cluster>>("GET", paths.clusters(slug)), refetchInterval: 10_000 });
}

export function useMembers() {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.members(slug), queryFn: () => call<Page<Member>>("GET", paths.members(slug)) });
}

export function useAddMember() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { username: string; role: Role }) => call<Member>("POST", paths.members(slug), body),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.members(slug) }),
  });
}

export function useRemoveMember() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: Member["id"]) => call<null>("DELETE", paths.member(slug, id)),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.members(slug) }),
  });
}

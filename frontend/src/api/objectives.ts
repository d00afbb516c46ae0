import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import type { ObjectiveKind } from "./types";
import { useWorkspace } from "./workspace-context";

const BASE = "/api/v1/workspaces/{slug}";

function useCall() {
  const { slug } = useWorkspace();
  return { slug, path: { slug }, client: useQueryClient() };
}

export function useObjectives() {
  const { slug, path } = useCall();
  return useQuery({
    queryKey: keys.objectives(slug),
    queryFn: () => unwrap(api.GET(`${BASE}/objectives`, { params: { path } })),
    refetchInterval: 30_000,
  });
}

/** One objective with its history. */
export function useObjective(id: string) {
  const { slug, path } = useCall();
  return useQuery({
    queryKey: keys.objective(slug, id),
    queryFn: () =>
      unwrap(
        api.GET(`${BASE}/objectives/{objective_id}`, { params: { path: { ...path, objective_id: id } } }),
      ),
    refetchInterval: 60_000,
  });
}

export interface ObjectiveForm {
  job_id: string;
  kind: ObjectiveKind;
  /** empty: the whole job */
  output: string;
  threshold: number | null;
  target: number;
  window_days: number;
}

export function useCreateObjective() {
  const { slug, path, client } = useCall();
  return useMutation({
    mutationFn: (body: ObjectiveForm) => unwrap(api.POST(`${BASE}/objectives`, { params: { path }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.objectives(slug) }),
  });
}

export function useDeleteObjective() {
  const { slug, path, client } = useCall();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.DELETE(`${BASE}/objectives/{objective_id}`, { params: { path: { ...path, objective_id: id } } }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.objectives(slug) }),
  });
}

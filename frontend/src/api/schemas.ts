import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, take } from "./client";
import { keys } from "./keys";
import type { Contract, NewVersion, OfferedSchema } from "./types";
import { useWorkspace } from "./workspace";

export function useSubjects() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.subjects(slug),
    queryFn: () => take(api.GET("/api/v1/workspaces/{slug}/schemas", { params: { path: { slug } } })),
  });
}

export function useSubject(subject: string, enabled = true) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.subject(slug, subject),
    queryFn: () => take(api.GET("/api/v1/workspaces/{slug}/schemas/{subject}", { params: { path: { slug, subject } } })),
    enabled,
  });
}

/** What registering a schema would meet: versions that it does not fit, and jobs that it changes or breaks. */
export function useSchemaCheck() {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: ({ subject, ...body }: OfferedSchema & { subject: string }) =>
      take(api.POST("/api/v1/workspaces/{slug}/schemas/{subject}/check", { params: { path: { slug, subject } }, body })),
  });
}

export function useRegisterSchema() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ subject, ...body }: NewVersion & { subject: string }) =>
      take(api.POST("/api/v1/workspaces/{slug}/schemas/{subject}/versions", { params: { path: { slug, subject } }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.subjects(slug) }),
  });
}

/** What a contract would do to the jobs that use the stream. */
export function useContractImpact(name: string) {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: (contract: Contract) => take(api.POST("/api/v1/workspaces/{slug}/streams/{name}/impact", { params: { path: { slug, name } }, body: { contract } })),
  });
}

export function useChangeContract(name: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { contract: Contract; description: string; force: boolean }) => take(api.PATCH("/api/v1/workspaces/{slug}/streams/{name}", { params: { path: { slug, name } }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.streams(slug) }),
  });
}

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isOutdated } from "./api-error";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import type { Contract, NewVersion, SchemaDraft, Policy } from "./types";
import { invalidateContracts } from "./streams";
import { useWorkspace } from "./workspace-context";

export function useSubjects(deleted = false) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.subjects(slug, deleted),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/schemas", { params: { path: { slug }, query: { deleted } } }),
      ),
    placeholderData: keepPreviousData,
  });
}

export function useSubject(subject: string, enabled = true, deleted = false) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.subject(slug, subject, deleted),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/schemas/{subject}", {
          params: { path: { slug, subject }, query: { deleted } },
        }),
      ),
    // The same subject with or without what is deleted: the page stays.
    placeholderData: (before) => (before?.name === subject ? before : undefined),
    enabled,
  });
}

/** The level and mode of all subjects that have none of their own. */
export function useSchemaPolicy() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.policy(slug),
    queryFn: () => unwrap(api.GET("/api/v1/workspaces/{slug}/schema-policy", { params: { path: { slug } } })),
  });
}

/** Changes level or mode of a subject, or of all; of a subject an empty one is that of all. */
export function useChangePolicy(subject: string | null) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: Policy): Promise<unknown> =>
      subject === null
        ? unwrap(api.PUT("/api/v1/workspaces/{slug}/schema-policy", { params: { path: { slug } }, body }))
        : unwrap(
            api.PUT("/api/v1/workspaces/{slug}/schemas/{subject}/policy", {
              params: { path: { slug, subject } },
              body,
            }),
          ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.schemas(slug) }),
  });
}

/** Hides a version, or all of a subject; with `permanent`, deletes what is already hidden. */
export function useDeleteSchema(subject: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ version, permanent }: { version: number | null; permanent: boolean }) =>
      version === null
        ? unwrap(
            api.DELETE("/api/v1/workspaces/{slug}/schemas/{subject}", {
              params: { path: { slug, subject }, query: { permanent } },
            }),
          )
        : unwrap(
            api.DELETE("/api/v1/workspaces/{slug}/schemas/{subject}/versions/{version}", {
              params: { path: { slug, subject, version }, query: { permanent } },
            }),
          ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.schemas(slug), refetchType: "none" }),
  });
}

/**
 * What registering a schema would do: versions it is incompatible with, and jobs that it changes or breaks.
 */
export function useSchemaCheck() {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: ({ subject, ...body }: SchemaDraft & { subject: string }) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/schemas/{subject}/check", {
          params: { path: { slug, subject } },
          body,
        }),
      ),
  });
}

export function useRegisterSchema() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ subject, ...body }: NewVersion & { subject: string }) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/schemas/{subject}/versions", {
          params: { path: { slug, subject } },
          body,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.schemas(slug) }),
  });
}

/** What a contract would do to the jobs that use the stream. */
export function useContractImpact(name: string) {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: (contract: Contract) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/streams/{name}/impact", {
          params: { path: { slug, name } },
          body: { contract },
        }),
      ),
  });
}

export function useChangeContract(name: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { contract: Contract; description: string; force: boolean; revision: number }) =>
      unwrap(
        api.PATCH("/api/v1/workspaces/{slug}/streams/{name}", { params: { path: { slug, name } }, body }),
      ),
    onError: (error) => {
      if (isOutdated(error)) void client.invalidateQueries({ queryKey: keys.streams(slug) });
    },
    onSuccess: () => invalidateContracts(client, slug),
  });
}

import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import type { Contract, NewStream } from "./types";
import { useWorkspace } from "./workspace-context";

const SAMPLE = 500;

export function useStreams() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.streams(slug),
    queryFn: () => unwrap(api.GET("/api/v1/workspaces/{slug}/streams", { params: { path: { slug } } })),
    refetchInterval: 10_000,
  });
}

export function useStream(name: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.stream(slug, name),
    queryFn: () =>
      unwrap(api.GET("/api/v1/workspaces/{slug}/streams/{name}", { params: { path: { slug, name } } })),
    refetchInterval: 10_000,
  });
}

export function useInference() {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: ({
      cluster,
      topic,
      encoding,
    }: {
      cluster: string;
      topic: string;
      encoding: Readonly<Record<string, unknown>>;
    }) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/samples/infer", {
          params: { path: { slug } },
          body: { cluster, topic, encoding, limit: SAMPLE },
        }),
      ),
  });
}

/** Validates a sample of records against a contract; sent once for each complete contract. */
export function useSampleValidation(cluster: string, topic: string, contract: Contract | null) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: [...keys.streams(slug), "validate", cluster, topic, contract],
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/samples/validate", {
          params: { path: { slug } },
          body: { cluster, topic, contract, limit: SAMPLE },
        }),
      ),
    enabled: contract !== null && topic !== "",
    retry: false,
    staleTime: 10_000,
    // What another topic holds is not shown.
    placeholderData: (before, query) =>
      query?.queryKey.at(-3) === cluster && query.queryKey.at(-2) === topic ? before : undefined,
  });
}

/** The fields that a schema gives: of Avro records, or of the rows in Avro change events. */
export function useEncodingFields() {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: (encoding: Readonly<Record<string, unknown>>) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/encodings/fields", {
          params: { path: { slug } },
          body: { encoding },
        }),
      ),
  });
}

/**
 * Streams are asked for now, and all else of the workspace when it is next shown: documents, their previews
 * and tests depend on contracts, too.
 */
export async function invalidateContracts(client: QueryClient, slug: string): Promise<void> {
  await client.invalidateQueries({ queryKey: [slug], refetchType: "none" });
  await client.invalidateQueries({ queryKey: keys.streams(slug) });
}

export function useRegisterStream() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewStream) =>
      unwrap(api.POST("/api/v1/workspaces/{slug}/streams", { params: { path: { slug } }, body })),
    onSuccess: () =>
      Promise.all([
        invalidateContracts(client, slug),
        client.invalidateQueries({ queryKey: keys.clusters(slug) }),
      ]),
  });
}

export function useRemoveStream() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) =>
      unwrap(api.DELETE("/api/v1/workspaces/{slug}/streams/{name}", { params: { path: { slug, name } } })),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.streams(slug), exact: true }),
        client.invalidateQueries({ queryKey: keys.clusters(slug) }),
      ]),
  });
}

/** Stores typed records with a stream; previews of its sample are played again. */
export function useSaveSample(name: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (lines: string) =>
      unwrap(
        api.PUT("/api/v1/workspaces/{slug}/streams/{name}/sample", {
          params: { path: { slug, name } },
          body: { lines },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: [slug, "preview"] }),
  });
}

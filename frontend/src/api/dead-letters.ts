import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, unwrap } from "./client";
import { whileOnePage } from "./pagination";
import { keys } from "./query-keys";
import type { EditedSelection, NewRedrive } from "./types";
import { useWorkspace } from "./workspace-context";

const REFETCH_INTERVAL_MS = 3_000;

/** Some dead letters by id, all of a reason, or all; only those still waiting. */
export type Selection = { ids: number[] } | { reason: string } | { all: true };

export function useValidation(stream: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.validation(slug, stream),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/streams/{name}/validation", {
          params: { path: { slug, name: stream } },
        }),
      ),
    refetchInterval: REFETCH_INTERVAL_MS,
  });
}

export function useToggleValidation(stream: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ on, from = "earliest" }: { on: boolean; from?: "earliest" | "now" }) =>
      unwrap(
        api.PUT("/api/v1/workspaces/{slug}/streams/{name}/validation", {
          params: { path: { slug, name: stream } },
          body: { on, from },
        }),
      ),
    onSuccess: (validation) => {
      client.setQueryData(keys.validation(slug, stream), validation);
    },
    onError: () => client.invalidateQueries({ queryKey: keys.validation(slug, stream) }),
  });
}

export function useDeadLetterGroups(stream: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.deadLetterGroups(slug, stream),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/streams/{name}/dead-letters/groups", {
          params: { path: { slug, name: stream } },
        }),
      ),
    refetchInterval: REFETCH_INTERVAL_MS,
  });
}

/** Letters of a reason, newest first. */
export function useDeadLetters(stream: string, reason: string) {
  const { slug } = useWorkspace();
  return useInfiniteQuery({
    queryKey: keys.deadLetters(slug, stream, reason),
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/streams/{name}/dead-letters", {
          params: {
            path: { slug, name: stream },
            query: { reason, ...(pageParam && { before: pageParam }) },
          },
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    refetchInterval: whileOnePage(REFETCH_INTERVAL_MS),
  });
}

/** A dead letter with all of its bytes. */
export function useDeadLetter(stream: string, id: number) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.deadLetter(slug, stream, id),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/streams/{name}/dead-letters/{dead_letter_id}", {
          params: { path: { slug, name: stream, dead_letter_id: id } },
        }),
      ),
    retry: false,
  });
}

export function useRedrives(stream: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.redrives(slug, stream),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/streams/{name}/redrives", {
          params: { path: { slug, name: stream } },
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data?.results.some((redrive) => redrive.state === "running") ? 1_000 : 10_000,
  });
}

function useDeadLettersChanged(stream: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: [slug, "streams", stream, "deadLetters"] }),
      client.invalidateQueries({ queryKey: keys.redrives(slug, stream) }),
      client.invalidateQueries({ queryKey: keys.validation(slug, stream) }),
    ]);
}

/** What an edit would make of the newest selected dead letters; nothing is sent. */
export function useEditPreview(stream: string) {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: (body: EditedSelection) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/streams/{name}/dead-letters/preview", {
          params: { path: { slug, name: stream } },
          body,
        }),
      ),
  });
}

export function useRedrive(stream: string) {
  const { slug } = useWorkspace();
  const changed = useDeadLettersChanged(stream);
  return useMutation({
    mutationFn: (body: NewRedrive) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/streams/{name}/redrives", {
          params: { path: { slug, name: stream } },
          body,
        }),
      ),
    onSuccess: changed,
  });
}

export function useCancelRedrive(stream: string) {
  const { slug } = useWorkspace();
  const changed = useDeadLettersChanged(stream);
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/streams/{name}/redrives/{redrive_id}/cancel", {
          params: { path: { slug, name: stream, redrive_id: id } },
        }),
      ),
    onSuccess: changed,
  });
}

export function useDiscardDeadLetters(stream: string) {
  const { slug } = useWorkspace();
  const changed = useDeadLettersChanged(stream);
  return useMutation({
    mutationFn: (body: Selection & { note: string }) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/streams/{name}/dead-letters/discard", {
          params: { path: { slug, name: stream } },
          body: { all: false, ...body },
        }),
      ),
    onSuccess: changed,
  });
}

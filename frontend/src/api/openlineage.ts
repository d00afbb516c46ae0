import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isOutdated } from "./api-error";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import type { LineageEvent, LineageEventState, LineageReceiver, LineageReceiverChange } from "./types";
import { useWorkspace } from "./workspace-context";

const NEWEST: { before?: number } = {};
const BASE = "/api/v1/workspaces/{slug}/openlineage";
const SOON_MS = 3_000;
const LATER_MS = 30_000;

function useCall() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  const changed = () => client.invalidateQueries({ queryKey: keys.lineage(slug) });
  return { slug, path: { slug }, changed };
}

/** Where the workspace's lineage goes; read again while something waits. */
export function useLineageReceiver() {
  const { slug, path } = useCall();
  return useQuery({
    queryKey: keys.lineageReceiver(slug),
    queryFn: () => unwrap(api.GET(BASE, { params: { path } })),
    refetchInterval: ({ state }) => (state.data?.receiver?.waiting ? SOON_MS : LATER_MS),
  });
}

/** Sets the receiver, or changes it. */
export function useSetLineageReceiver() {
  const { path, changed } = useCall();
  return useMutation({
    mutationFn: (body: LineageReceiverChange) => unwrap(api.PUT(BASE, { params: { path }, body })),
    onSuccess: changed,
    onError: (error) => {
      if (isOutdated(error)) void changed();
    },
  });
}

/** Turns it on or off; its key stays. */
export function useSwitchLineageReceiver() {
  const { path, changed } = useCall();
  return useMutation({
    mutationFn: ({
      receiver: { url, namespace, revision },
      enabled,
    }: {
      receiver: LineageReceiver;
      enabled: boolean;
    }) => unwrap(api.PUT(BASE, { params: { path }, body: { url, namespace, revision, enabled, key: null } })),
    onSuccess: changed,
    onError: (error) => {
      if (isOutdated(error)) void changed();
    },
  });
}

export function useRemoveLineageReceiver() {
  const { path, changed } = useCall();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE(BASE, { params: { path } })),
    onSuccess: changed,
  });
}

/** Sends a test event; the delivery log says what came of it. */
export function useTestLineageReceiver() {
  const { path, changed } = useCall();
  return useMutation({
    mutationFn: () => unwrap(api.POST(`${BASE}/test`, { params: { path } })),
    onSuccess: changed,
  });
}

/** The delivery log, the newest first; read again while an event that it shows waits. */
export function useLineageEvents(state: LineageEventState | null) {
  const { slug, path } = useCall();
  return useInfiniteQuery({
    queryKey: keys.lineageEvents(slug, state),
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET(`${BASE}/events`, { params: { path, query: { ...(state && { state }), ...pageParam } } }),
      ),
    initialPageParam: NEWEST,
    getNextPageParam: ({ next }) => (next ? { before: next } : undefined),
    select: ({ pages }) => ({ results: pages.flatMap(({ results }): LineageEvent[] => results) }),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ results }) => results.some((one) => one.state === "waiting")) ? SOON_MS : LATER_MS,
  });
}

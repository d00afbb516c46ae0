import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { groupKey, GroupStore, type GroupsFrame } from "../live/group-store";
import { api, unwrap } from "./client";
import { useChannel } from "./live";
import { orUntilAnswered } from "./query-client";
import { keys } from "./query-keys";
import type { GroupDetail, GroupWatch, ListedGroup, OffsetMove } from "./types";
import { useWorkspace } from "./workspace-context";

/** The consumer groups of all clusters, with trends of the last half hour. */
export function useGroups() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.groups(slug),
    queryFn: () =>
      unwrap(api.GET("/api/v1/workspaces/{slug}/consumer-groups", { params: { path: { slug } } })),
    staleTime: 60_000,
    refetchInterval: orUntilAnswered(300_000),
  });
}

interface GroupList {
  results: ListedGroup[];
  watches: GroupWatch[];
}
interface LiveGroups {
  groups: ListedGroup[];
  watches: GroupWatch[];
}
interface ReadGroups {
  data: GroupList | undefined;
  /** epoch milliseconds */
  dataUpdatedAt: number;
}

/** The list as it is now: what REST answered, and the frames since. */
export function useLiveGroups({ data: listed, dataUpdatedAt }: ReadGroups) {
  const [store] = useState(() => new GroupStore(null));
  useChannel("groups", store, store.apply);
  const frames = useSyncExternalStore(store.onChange, store.get);
  const followedSince = useSyncExternalStore(store.onChange, store.getSubscribedAt);
  const { slug } = useWorkspace();
  const client = useQueryClient();
  // Of groups that went before they were followed no frame comes: a list from before may have them.
  const isOutdated = listed !== undefined && followedSince !== null && dataUpdatedAt < followedSince;
  useEffect(() => {
    if (isOutdated) void client.invalidateQueries({ queryKey: keys.groups(slug), exact: true });
  }, [client, slug, isOutdated, followedSince]);
  return useMemo(() => withFrames(listed, frames), [frames, listed]);
}

/** Groups and watches of a list as the frames since say; what was deleted is left out. */
export function withFrames(
  listed: GroupList | undefined,
  frames: ReadonlyMap<string, GroupsFrame>,
): LiveGroups {
  const groups = new Map(listed?.results.map((group) => [groupKey(group), group]));
  const watches = new Map(listed?.watches.map((watch) => [watch.cluster, watch]));
  for (const [key, frame] of frames) {
    if (frame.op === "watch") {
      if (frame.deleted) watches.delete(frame.cluster);
      else watches.set(frame.cluster, frame);
    } else if (frame.deleted) groups.delete(key);
    else groups.set(key, { ...frame, trend: groups.get(key)?.trend ?? [] });
  }
  return { groups: [...groups.values()], watches: [...watches.values()] };
}

export function useGroup(cluster: string, name: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.group(slug, cluster, name),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/consumer-groups/{cluster}/{group}", {
          params: { path: { slug, cluster, group: name } },
        }),
      ),
  });
}

export interface LiveGroup {
  group: GroupDetail;
  deleted: boolean;
  /** when its cluster was looked at last; null before the first frame */
  passedAt: string | null;
  /** why the newest look failed */
  error: string;
}

/** A group as it is now. Give the component the group's cluster and name as key. */
export function useLiveGroup(group: GroupDetail): LiveGroup {
  const [store] = useState(() => new GroupStore({ cluster: group.cluster, name: group.name }));
  useChannel(`group/${groupKey(group)}`, store, store.apply);
  const frame = useSyncExternalStore(store.onChange, store.get).get(groupKey(group));
  if (frame?.op !== "group") return { group, deleted: false, passedAt: null, error: "" };
  if (frame.deleted) return { group, deleted: true, passedAt: null, error: "" };
  if (!("partitions" in frame)) return { group, deleted: false, passedAt: null, error: "" };
  const passedAt = frame.passed_us === null ? null : new Date(frame.passed_us / 1000).toISOString();
  return { group: frame, deleted: false, passedAt, error: frame.error };
}

/** A dry run says what a move does; the same without it does it. */
export function useMoveOffsets(cluster: string, name: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: OffsetMove) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/consumer-group-offsets/{cluster}/{group}", {
          params: { path: { slug, cluster, group: name } },
          body,
        }),
      ),
    onSuccess: (plan) => {
      if (plan.applied) void client.invalidateQueries({ queryKey: keys.groups(slug) });
    },
  });
}

export function useDeleteGroup(cluster: string, name: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE("/api/v1/workspaces/{slug}/consumer-groups/{cluster}/{group}", {
          params: { path: { slug, cluster, group: name } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.groups(slug), exact: true }),
  });
}

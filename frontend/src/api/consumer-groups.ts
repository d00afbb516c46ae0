import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState, useSyncExternalStore } from "react";
import type { Frame, GroupFrame, WatchFrame } from "../live/frames";
import { LatestStore } from "../live/latest-store";
import { api, unwrap } from "./client";
import { useChannel } from "./live";
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
    refetchInterval: 300_000,
  });
}

type GroupsFrame = GroupFrame | WatchFrame;

function useGroupFrames(channel: string): ReadonlyMap<string, GroupsFrame> {
  const [store] = useState(() => new LatestStore<GroupsFrame>());
  const apply = useMemo(
    () => (frame: Frame) => {
      if (frame.op === "group") store.put(`${frame.cluster}/${frame.name}`, frame);
      else if (frame.op === "watch") store.put(`watch ${frame.cluster}`, frame);
    },
    [store],
  );
  useChannel(channel, store, apply);
  return useSyncExternalStore(store.onChange, store.get);
}

/** The list as it is now: what REST answered, and the frames since. */
export function useLiveGroups(listed: { results: ListedGroup[]; watches: GroupWatch[] } | undefined) {
  const frames = useGroupFrames("groups");
  return useMemo(() => {
    const groups = new Map(listed?.results.map((group) => [`${group.cluster}/${group.name}`, group]));
    const watches = new Map(listed?.watches.map((watch) => [watch.cluster, watch]));
    for (const [key, frame] of frames) {
      if (frame.op === "watch") watches.set(frame.cluster, frame);
      else if (frame.deleted) groups.delete(key);
      else groups.set(key, { ...frame, trend: groups.get(key)?.trend ?? [] });
    }
    return { groups: [...groups.values()], watches: [...watches.values()] };
  }, [frames, listed]);
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

export function useLiveGroup(group: GroupDetail): LiveGroup {
  const frame = useGroupFrames(`group/${group.cluster}/${group.name}`).get(`${group.cluster}/${group.name}`);
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

import { describe, expect, it } from "vitest";
import type { GroupsFrame } from "../live/group-store";
import { withFrames } from "./consumer-groups";
import type { GroupWatch, ListedGroup } from "./types";

const group = (cluster: string, name: string) => ({ cluster, name, trend: [1] }) as unknown as ListedGroup;
const watch = (cluster: string, groups = 1) => ({ cluster, groups }) as GroupWatch;

describe("the list of groups with the frames since", () => {
  const listed = {
    results: [group("home", "a"), group("c1", "b")],
    watches: [watch("home"), watch("c1")],
  };

  it("has what came anew, with the trend that it had", () => {
    const frames = new Map<string, GroupsFrame>([
      ["home/a", { op: "group", id: 1, ...group("home", "a"), trend: undefined } as unknown as GroupsFrame],
      ["watch home", { op: "watch", id: 1, ...watch("home", 7) }],
    ]);
    const { groups, watches } = withFrames(listed, frames);
    expect(groups[0]?.trend).toEqual([1]);
    expect(watches.map((one) => one.groups)).toEqual([7, 1]);
  });

  it("is without a cluster that was deleted, its groups and its watch", () => {
    const frames = new Map<string, GroupsFrame>([
      ["c1/b", { op: "group", id: 1, cluster: "c1", name: "b", deleted: true }],
      ["watch c1", { op: "watch", id: 1, cluster: "c1", deleted: true }],
    ]);
    const { groups, watches } = withFrames(listed, frames);
    expect(groups.map((one) => one.name)).toEqual(["a"]);
    expect(watches.map((one) => one.cluster)).toEqual(["home"]);
  });
});

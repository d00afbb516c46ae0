import { describe, expect, test } from "vitest";
import type { ListedGroup } from "../../api/types";
import { filterGroups, sortGroups } from "./group-list";

function group(name: string, change: Partial<ListedGroup> = {}): ListedGroup {
  return {
    cluster: "home",
    cluster_name: "Home",
    name,
    state: "Stable",
    protocol: "classic",
    denied: false,
    members: 1,
    mirrored_job: "",
    job_id: null,
    topics: ["orders"],
    lag_records: 0,
    lag_seconds: 0,
    seconds_by: "sampled",
    in_rate: 10,
    out_rate: 10,
    health: "fine",
    cause: "",
    since: null,
    catch_up_s: null,
    loss_s: null,
    lost_records: 0,
    hot: null,
    trend: [],
    ...change,
  };
}

const ANY = { text: "", health: "", cluster: "", mirrors: true };
const names = (groups: readonly ListedGroup[]) => groups.map(({ name }) => name);

describe("the list", () => {
  const groups = [
    group("b"),
    group("a"),
    group("ill", { health: "stopped", lag_records: 5, lag_seconds: 90, loss_s: 600 }),
    group("worse", { health: "losing", topics: ["Payments"] }),
    group("weir.ops.minutes", { mirrored_job: "minutes", lag_records: 99, lag_seconds: null }),
  ];

  test("has the worst first, then names", () => {
    expect(names(sortGroups(groups, "health"))).toEqual(["worse", "ill", "a", "b", "weir.ops.minutes"]);
  });
  test("is ordered by what is chosen; unknown comes last", () => {
    expect(names(sortGroups(groups, "lag"))[0]).toBe("weir.ops.minutes");
    expect(names(sortGroups(groups, "time")).at(-1)).toBe("weir.ops.minutes");
    expect(names(sortGroups(groups, "loss")).slice(0, 2)).toEqual(["worse", "ill"]);
  });
  test("is filtered by name, topic, health, cluster, and by being a mirror", () => {
    expect(names(filterGroups(groups, { ...ANY, text: "payM" }))).toEqual(["worse"]);
    expect(names(filterGroups(groups, { ...ANY, health: "stopped" }))).toEqual(["ill"]);
    expect(filterGroups(groups, { ...ANY, cluster: "c1" })).toEqual([]);
    expect(filterGroups(groups, { ...ANY, mirrors: false })).toHaveLength(4);
  });
});

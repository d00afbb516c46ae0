import { describe, expect, test } from "vitest";
import type { ListedGroup } from "../../api/types";
import { filterGroups, sortGroups } from "./group-list";
import { lagTime, lossNote, healthNote } from "./health";

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
const NOW = Date.parse("2026-01-01T00:10:00Z");

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

describe("a health in words", () => {
  test("says why and since when", () => {
    const stopped = group("g", { health: "stopped", cause: "no_members", since: "2026-01-01T00:05:00Z" });
    expect(healthNote(stopped, NOW)).toBe("no members for 5 min");
  });
  test("says how fast, and until when", () => {
    const falling = { health: "falling_behind", in_rate: 200, out_rate: 80 } as const;
    expect(healthNote(group("g", falling), NOW)).toBe("by 120 records/s");
    expect(healthNote(group("g", { health: "catching_up", catch_up_s: 90 }), NOW)).toBe("~1 min 30 s left");
    expect(healthNote(group("g", { health: "losing", lost_records: 1 }), NOW)).toBe("1 record lost");
    expect(healthNote(group("g"), NOW)).toBe("");
  });
  test("counts down to loss where there is a risk", () => {
    expect(lossNote(group("g"))).toBeNull();
    expect(lossNote(group("g", { loss_s: 3_600 }))).toEqual({ text: "1 h", tone: "bad" });
    expect(lossNote(group("g", { loss_s: 200_000 }))?.tone).toBe("warn");
  });
  test("never claims more than is known", () => {
    expect(lagTime(90, "at_least")).toBe("> 1 min 30 s");
    expect(lagTime(null, "")).toBe("–");
  });
});

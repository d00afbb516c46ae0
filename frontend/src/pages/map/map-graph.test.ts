import { describe, expect, it } from "vitest";
import type { GroupHealth, MapNode } from "../../api/types";
import type { StatusFrame } from "../../live/frames";
import { EDGES, job, NODES, stream } from "./map.test-data";
import { matching, placesOf, spoken } from "./map-graph";

describe("places of the map", () => {
  const placeOf = (node: MapNode, states = new Map<string, StatusFrame>()) => placesOf([node], states)[0];

  it("say what they are, where they lead and what they do", () => {
    expect(placeOf(job("a"))).toMatchObject({
      state: { word: "Running" },
      lines: ["40 rows/s in, lag 0.5 s", "Keeps 7 rows, 2 KiB"],
      needsLook: false,
      href: "/jobs/a",
    });
    expect(placeOf(stream("a/b"))).toMatchObject({ lines: ["Topic a/b-v1, Home"], href: "/streams/a%2Fb" });
    expect(placeOf(stream("odd", "missing"))).toMatchObject({ needsLook: true, href: null });
  });

  it("say unknown, never 0, of what does not run or was not measured", () => {
    const stopped = job("a", { observed: "stopped", rows_per_second: null, lag: null, state_rows: null });
    expect(placeOf(stopped)?.lines).toEqual(["No rates while it doesn't run", ""]);
    expect(placeOf(job("a", { lag: null, state_rows: null }))?.lines).toEqual([
      "40 rows/s in, lag unknown",
      "State unknown or none",
    ]);
    const starting = job("a", { observed: "starting", rows_per_second: null, lag: null });
    expect(placeOf(starting)?.lines[0]).toBe("Rates unknown");
    const first = job("a", { rows_per_second: null, lag: null });
    expect(placeOf(first)?.lines[0]).toBe("Rate unknown, lag unknown");
  });

  it("follow what is pushed", () => {
    const frame: StatusFrame = {
      op: "status",
      id: 1,
      job_id: "a",
      observed: "failed",
      desired: "running",
      last_seen_us: null,
      lag: { records: 9_000, seconds: 90 },
    };
    const found = placeOf(job("a"), new Map([["a", frame]]));
    expect(found).toMatchObject({ state: { word: "Failed" }, needsLook: true });
    expect(found?.lines[0]).toBe("No rates while it doesn't run");
    const first: StatusFrame = { ...frame, observed: "running", rows_per_second: null };
    expect(placeOf(job("a"), new Map([["a", first]]))?.lines[0]).toBe("Rate unknown, lag 1 min 30 s");
  });

  it("need a look by what their lag means, also where it isn't known in time", () => {
    const lag_health = (health: GroupHealth): StatusFrame["lag_health"] => ({
      health,
      since: null,
      in_rate: null,
      out_rate: null,
      catch_up_s: null,
      loss_s: null,
      lost_records: 0,
    });
    const needsLook = (health: GroupHealth | null, seconds: number | null = null) => {
      const frame: StatusFrame = {
        op: "status",
        id: 1,
        job_id: "a",
        desired: "running",
        last_seen_us: null,
        lag: { records: 9_000, seconds },
        lag_health: health && (lag_health(health) ?? null),
      };
      return placeOf(job("a"), new Map([["a", frame]]))?.needsLook;
    };
    const bad: GroupHealth[] = ["falling_behind", "stalled", "stopped", "losing"];
    expect(bad.map((health) => needsLook(health))).toEqual([true, true, true, true]);
    const good: GroupHealth[] = ["fine", "unknown", "catching_up", "behind"];
    expect(good.map((health) => needsLook(health))).toEqual([false, false, false, false]);
    expect([needsLook(null), needsLook(null, 90), needsLook("fine", 90)]).toEqual([false, true, true]);
  });

  it("are found by all words of name, topic and state", () => {
    const places = placesOf(NODES, new Map());
    expect([...matching(places, "TRADES-v1 stream")]).toEqual(["stream:trades"]);
    expect([...matching(places, "running")]).toEqual(["job:a"]);
    expect(matching(places, "running trades").size).toBe(0);
  });

  it("are read out with what flows in and out", () => {
    const places = placesOf(NODES, new Map());
    const names = new Map(places.map(({ id, name }) => [id, name]));
    const place = places.find(({ id }) => id === "job:a");
    expect(place && spoken(place, EDGES, names)).toBe(
      "Job job a. Running. 40 rows/s in, lag 0.5 s. Keeps 7 rows, 2 KiB. " +
        "from trades, 100 rows/s; odd, rate unknown",
    );
  });
});

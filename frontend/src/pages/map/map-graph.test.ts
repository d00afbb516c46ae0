import { describe, expect, it } from "vitest";
import type { MapEdge, MapNode } from "../../api/types";
import type { StatusFrame } from "../../live/frames";
import { matching, placesOf, positionsOf, sizeOf, spoken } from "./map-graph";

const stream = (name: string, kind: MapNode["kind"] = "stream"): MapNode => ({
  id: `stream:${name}`,
  kind,
  name,
  topic: `${name}-v1`,
  cluster: "home",
  cluster_name: "Home",
  job: null,
});
const job = (id: string, more: Partial<NonNullable<MapNode["job"]>> = {}): MapNode => ({
  ...stream(`job ${id}`, "job"),
  id: `job:${id}`,
  topic: "",
  job: {
    id,
    desired: "running",
    observed: "running",
    lag: { records: 12, seconds: 0.5 },
    rows_per_second: 40,
    state_rows: 7,
    state_bytes: 2048,
    ...more,
  },
});
const edge = (from: string, to: string, rows: number | null = null): MapEdge => ({
  from,
  to,
  rows_per_second: rows,
  lag_records: null,
  lag_seconds: null,
});
const NODES = [stream("trades"), stream("odd", "missing"), job("a"), stream("alone", "table")];
const EDGES = [edge("stream:trades", "job:a", 100), edge("stream:odd", "job:a")];

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

describe("positions on the map", () => {
  const many = Array.from({ length: 100 }, (_, at) => [
    stream(`s${String(at)}`),
    job(`j${String(at)}`),
    stream(`t${String(at)}`),
  ]).flat();
  const edges = Array.from({ length: 100 }, (_, at) => [
    edge(`stream:s${String(at % 30)}`, `job:j${String(at)}`),
    edge(`job:j${String(at)}`, `stream:t${String(at % 40)}`),
  ]).flat();

  it.each(["right", "down"] as const)("no place of 300 covers another, %s", (direction) => {
    const found = positionsOf({ nodes: many, edges }, direction);
    const boxes = many.map(({ id, kind }) => ({ ...sizeOf(kind), ...(found.get(id) ?? { x: NaN, y: NaN }) }));
    for (const [at, a] of boxes.entries())
      for (const b of boxes.slice(at + 1))
        expect(
          a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height,
        ).toBe(false);
  });

  it("have those that nothing flows through, too", () => {
    expect(positionsOf({ nodes: NODES, edges: EDGES }, "right").size).toBe(NODES.length);
    expect(positionsOf({ nodes: [stream("only")], edges: [] }, "right").get("stream:only")).toEqual({
      x: 0,
      y: 0,
    });
  });
});

/** Nodes and edges of a map, for tests. */

import type { MapEdge, MapNode } from "../../api/types";

export const stream = (name: string, kind: MapNode["kind"] = "stream"): MapNode => ({
  id: `stream:${name}`,
  kind,
  name,
  topic: `${name}-v1`,
  cluster: "home",
  cluster_name: "Home",
  job: null,
});
export const job = (id: string, more: Partial<NonNullable<MapNode["job"]>> = {}): MapNode => ({
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
export const edge = (from: string, to: string, rows: number | null = null): MapEdge => ({
  from,
  to,
  rows_per_second: rows,
  lag_records: null,
  lag_seconds: null,
});
export const NODES = [stream("trades"), stream("odd", "missing"), job("a"), stream("alone", "table")];
export const EDGES = [edge("stream:trades", "job:a", 100), edge("stream:odd", "job:a")];

import type { Preview, PreviewStep } from "../../api/types";

/** A filter that keeps all of its ten rows. */
export const STEP: PreviewStep = {
  reference: "kept",
  node: "kept",
  op: "filter",
  fields: [],
  key: [],
  known: true,
  inputs: [{ reference: "ticks", rows: 10 }],
  rows_in: 10,
  filtered: 0,
  unmatched: null,
  empty: "",
  lost: [],
  late: 0,
  keyless: 0,
  nulls: 0,
  nulls_by_expression: [],
  rows: 10,
  tombstones: 0,
  first: [],
  truncated: false,
};

/** A preview without steps. */
export const PREVIEW: Preview = {
  problem: null,
  engine: "shared-1",
  standby: false,
  runs: 0,
  elapsed_ms: 1,
  read_at: "2026-01-01T10:00:00Z",
  read_ms: 1,
  total_ms: 2,
  spans_ms: {},
  shortened: false,
  late: 0,
  uses_processing_time: [],
  watermark: null,
  sources: [],
  steps: [],
  outputs: [],
};

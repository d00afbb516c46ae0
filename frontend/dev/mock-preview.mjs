/** A made-up preview of a document: rows for each node, with losses of every kind. */

const SAMPLES = { string: "ACME", long: 240, int: 3, double: 180.53, boolean: true };

function value(type, at) {
  if (type === "timestamp") return new Date(Date.now() - 60_000 + at * 1_000).toISOString();
  const sample = SAMPLES[type] ?? null;
  return typeof sample === "number" ? sample + at : sample;
}

function row(node, at) {
  const fields = Object.fromEntries(node.schema.map(({ name, type }) => [name, value(type, at)]));
  return {
    key: `["${node.name}",0,${at}]`,
    value: at === 3 && node.kind === "upsert" ? null : fields,
    at: new Date(Date.now() - 60_000 + at * 1_000).toISOString(),
  };
}

function step(node, at) {
  const rows = Math.max(0, 190 - at * 30);
  return {
    reference: node.name,
    node: node.name,
    op: node.op,
    fields: node.schema.map(({ name }) => name),
    key: node.identity,
    known: true,
    inputs: node.inputs.map((reference) => ({ reference, rows: 200 - at * 10 })),
    rows_in: node.op === "source" ? null : 200 - at * 10,
    filtered: node.op === "filter" ? 41 : null,
    unmatched: node.op === "join" ? 7 : null,
    lost: [],
    empty: rows ? "" : "Nothing came in.",
    late: node.op === "aggregate" ? 3 : 0,
    keyless: 0,
    nulls: node.op === "derive" ? 12 : 0,
    nulls_by_expression: node.op === "derive" ? [{ expression: "ratio", rows: 12 }] : [],
    rows,
    tombstones: 0,
    first: Array.from({ length: Math.min(rows, 12) }, (_, index) => row(node, index)),
    truncated: rows > 12,
  };
}

export function previewOf(nodes) {
  return {
    problem: null,
    engine: "shared-2",
    standby: true,
    runs: 0,
    elapsed_ms: 412,
    read_at: new Date().toISOString(),
    read_ms: 35,
    total_ms: 470,
    spans_ms: { plan: 4, start: 120, batches: 280, stop: 3 },
    shortened: false,
    late: 3,
    uses_processing_time: [],
    watermark: new Date(Date.now() - 50_000).toISOString(),
    sources: nodes
      .filter(({ op }) => op === "source")
      .map(({ name }) => ({
        name,
        given: 200,
        note: "",
        around: null,
        records: 200,
        malformed: [{ reason: "FIELD_TYPE", records: 4 }],
        left_out: [{ partition: 1, offset: 48213, line: null, reason: "FIELD_TYPE" }],
      })),
    steps: nodes.map(step),
    outputs: [],
  };
}

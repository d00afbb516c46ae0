/** Tests of a job: one that passes, one that is red in every way, one that was not run. Not shipped. */

const TEXT = `format: 1
name: late ticks change nothing
start: 2026-01-01T10:00:00Z
batches:
  - records:
      ticks:
        - {at: 2s, values: {symbol: A, price: 10.5}} # the first
        - {at: 2500ms, values: {symbol: A, price: 10.4}}
        - {value: "{"}
  - {advance: 1m, silent: [], restart: clean}
  - records:
      ticks:
        - {at: 2s, values: {symbol: A, price: 1.0}}
    expect:
      outputs: {live: {rows: []}}
      late: 5
expect:
  outputs:
    live:
      contains:
        - {window_start: 1s, symbol: A, min_ask: 10.5}
`;

const RED = {
  status: "failed",
  message: "",
  total: 4,
  diverged: { step: "stats", batch: 1 },
  elapsed_ms: 2_310,
  differences: [
    {
      kind: "differs",
      path: ["expect", "outputs", "live", "contains", "0"],
      of: "outputs",
      name: "live",
      batch: null,
      message: "A row of output live at the end has other values.",
      expected: { symbol: "A", min_ask: 10.5 },
      got: { window_start: "2026-01-01T10:00:01.000000Z", symbol: "A", min_ask: 1.0, trades: 3 },
      fields: [{ field: "min_ask", expected: 10.5, got: 1.0, absent: false }],
    },
    {
      kind: "missing",
      path: ["expect", "outputs", "live", "contains", "1"],
      of: "outputs",
      name: "live",
      batch: null,
      message: "A row of output live at the end is missing.",
      expected: { symbol: "B", trades: 1 },
      got: null,
      fields: [],
    },
    {
      kind: "unexpected",
      path: ["batches", "2", "expect", "outputs", "live", "rows"],
      of: "outputs",
      name: "live",
      batch: 2,
      message: "Output live in batch 3 has a row that nobody expected.",
      expected: null,
      got: { window_start: "2026-01-01T10:00:02.000000Z", symbol: "A", min_ask: 1.0 },
      fields: [],
    },
    {
      kind: "count",
      path: ["batches", "2", "expect", "late"],
      of: "late",
      name: "",
      batch: 2,
      message: "There are 0 late rows in batch 3 instead of 5.",
      expected: 5,
      got: 0,
      fields: [],
    },
  ],
};

const GOOD = { status: "passed", message: "", total: 0, diverged: null, elapsed_ms: 1_240, differences: [] };

function test(id, name, state, result, at) {
  return {
    id,
    name,
    description: id === "t1" ? "What comes after the grace period is dropped and counted." : "",
    revision: 1,
    first_version: 1,
    last_version: null,
    batches: 3,
    changed_at: at,
    changed_by: "demo",
    state,
    finished_at: result ? at : null,
    result,
  };
}

const CAME = [
  {
    outputs: [
      {
        name: "out",
        rows: [
          { window_start: "2026-01-01T10:01:40.000000Z", window_end: "2026-01-01T10:01:50.000000Z", n: 1 },
          { window_start: "2026-01-01T10:01:35.000000Z", window_end: "2026-01-01T10:01:45.000000Z", n: 1 },
        ],
        more: 0,
      },
    ],
    late: 0,
  },
  { outputs: [{ name: "out", rows: [], more: 0 }], late: 1 },
];

/** A run of a worked example, which passes. */
export function documentTests(method, part, at) {
  if (part === "test-check") return [200, { problems: [] }];
  const outcome = { result: GOOD, expect: { outputs: { out: { rows: [] } } }, message: "", batches: CAME };
  return [
    method === "POST" ? 202 : 200,
    {
      id: "run2",
      version: null,
      state: "finished",
      done: 1,
      total: 1,
      canceling: false,
      message: "",
      created_at: at,
      started_at: at,
      finished_at: at,
      outcome,
    },
  ];
}

/** @param at an instant a while ago; draft: the state of the run of a draft */
export function tests(method, part, rest, job, at) {
  const run = {
    id: "run1",
    version: job.version,
    state: "finished",
    done: 1,
    total: 1,
    canceling: false,
    message: "",
    created_at: at,
    started_at: at,
    finished_at: at,
    outcome: null,
  };
  if (part === "tests" && !rest)
    return method === "POST"
      ? [201, { id: "t9", revision: 1 }]
      : [
          200,
          {
            version: job.version,
            results:
              job.id === "flights"
                ? []
                : [
                    test("t1", "late ticks change nothing", "failed", RED, at),
                    test("t2", "windows of five seconds", "passed", GOOD, at),
                    test("t3", "a source falls silent", "not_run", null, at),
                  ],
            run,
          },
        ];
  if (part === "tests")
    return method === "DELETE"
      ? [204, null]
      : [
          200,
          {
            id: rest,
            name: "late ticks change nothing",
            document_text: TEXT,
            document: {},
            revision: 1,
            first_version: 1,
            last_version: null,
          },
        ];
  if (part === "test-check") return [200, { problems: [] }];
  const expect = { outputs: { live: { rows: [{ symbol: "A", min_ask: 1.0 }] } } };
  const outcome = { result: RED, expect, message: "", batches: CAME };
  return [method === "POST" ? 202 : 200, { ...run, outcome }];
}

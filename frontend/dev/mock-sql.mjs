/** SQL as the mock understands it: the stock job, and `SELECT symbol, count(*) AS n FROM a GROUP BY symbol`. */

import { parse } from "yaml";

const STOCK = `SET 'name' = 'stock-statistics';
SET 'mode' = 'auto';
SET 'engine' = 'shared';

CREATE VIEW stats AS
SELECT window_start, window_end, symbol, count_if(kind = 'trade') AS trades, min(ask) AS min_ask, avg(ask) AS avg_ask
FROM HOP(TABLE ticks, INTERVAL '1' SECOND, INTERVAL '5' SECOND, grace => INTERVAL '2' SECOND)
GROUP BY window_start, window_end, symbol;

CREATE MATERIALIZED VIEW live AS
SELECT * FROM stats;
`;

const problem = (code, path, message, hint, span) => ({ code, path, message, hint, severity: "error", span });

/** Documents with a table join have no SQL, those without an output have errors. */
export function toSql(text) {
  const document = parse(text) ?? {};
  const none = { text: "", problems: [], refusals: [] };
  if (!Object.keys(document.outputs ?? {}).length)
    return {
      ...none,
      problems: [problem("PARAMETER_MISSING", ["outputs"], "outputs is required.", "Add an output.", null)],
    };
  const refusals = Object.entries(document.steps ?? {})
    .filter(([, step]) => step.op === "table_join")
    .map(([name]) => ({ path: `steps.${name}`, reason: "broadcast has no SQL" }));
  return refusals.length ? { ...none, refusals } : { ...none, text: STOCK };
}

export function fromSql(text, name) {
  const source = /FROM\s+(?:HOP\(TABLE )?(\w+)/.exec(text)?.[1];
  if (!source) {
    const end = text.trimEnd().length;
    const found = problem("SQL_INVALID", ["sql"], "Expected FROM, but the statement ends.", "", [
      end - 1,
      end,
    ]);
    return { document: null, problems: text.trim() ? [found] : [] };
  }
  const field = /avg\((\w+)\)|GROUP BY (\w+);?\s*$/.exec(text);
  const used = field?.[1] ?? field?.[2] ?? "symbol";
  const known = ["ask", "symbol", "kind", "bid"].includes(used);
  const at = text.lastIndexOf(used);
  return {
    document: documentOf(text, /SET 'name' = '([^']*)'/.exec(text)?.[1] ?? name, source, used),
    problems: known
      ? []
      : [
          problem(
            "FIELD_UNKNOWN",
            ["steps", "stats"],
            `There is no field “${used}” in ${source}.`,
            "Did you mean “symbol”?",
            [at, at + used.length],
          ),
        ],
  };
}

function documentOf(text, name, source, used) {
  const head = { format: 1, name, sources: { [source]: { stream: source } } };
  const settings = text.includes("'mode'") ? { settings: { mode: "auto", engine: "shared" } } : {};
  if (text.includes("HOP("))
    return {
      ...head,
      steps: {
        stats: {
          op: "aggregate",
          input: source,
          window: { hopping: { advance: "1s", size: "5s" } },
          grace: "2s",
          by: ["symbol"],
          measures: { trades: "count_if(kind = 'trade')", min_ask: "min(ask)", avg_ask: `avg(${used})` },
        },
      },
      outputs: { live: { input: "stats", to: "result" } },
      ...settings,
    };
  return {
    ...head,
    steps: { grouped: { op: "aggregate", input: source, by: [used], measures: { n: "count()" } } },
    outputs: { result: { input: "grouped", to: "result" } },
    ...settings,
  };
}

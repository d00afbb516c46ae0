/** A made-up map: the jobs of the list between streams, or with ?map=300 as many nodes. */

const stream = (name, kind = "stream") => ({
  id: `stream:${name}`,
  kind,
  name,
  topic: `${name}-v1`,
  cluster: "home",
  cluster_name: "Home",
  job: null,
});
const job = ({ id, name, desired, observed, lag, rows_per_second }, at) => ({
  id: `job:${id}`,
  kind: "job",
  name,
  topic: "",
  cluster: "",
  cluster_name: "",
  job: {
    id,
    desired,
    observed,
    lag,
    rows_per_second: observed === "running" ? rows_per_second : null,
    state_rows: observed === "running" && at % 3 ? 90 * (at + 1) : null,
    state_bytes: observed === "running" && at % 3 ? 120_000 * (at + 1) : null,
  },
});
const edge = (from, to, rows_per_second) => ({
  from,
  to,
  rows_per_second,
  lag_records: to.startsWith("job:") && rows_per_second !== null ? 12 : null,
  lag_seconds: to.startsWith("job:") && rows_per_second !== null ? 0.2 : null,
});

/** @param many nodes of a large map; 0 for one of these jobs */
export function mapOf(jobs, many) {
  return many ? large(many) : small(jobs);
}

function small(jobs) {
  const nodes = jobs.map(job);
  const rateOf = (at) => nodes[at]?.job.rows_per_second ?? null;
  return {
    nodes: [
      stream("ticks"),
      stream("lines"),
      stream("means"),
      stream("rates", "table"),
      stream("unused"),
      stream("gone", "missing"),
      ...nodes,
    ],
    edges: nodes.flatMap(({ id }, at) => [
      edge(["stream:ticks", "stream:lines", "stream:means", "stream:gone"][at % 4], id, rateOf(at)),
      ...(at % 3 === 1 ? [edge("stream:rates", id, 0)] : []),
      ...(at === 0 ? [edge(id, "stream:means", 38.2)] : []),
    ]),
    jobs_left_out: false,
  };
}

function large(many) {
  const third = Math.round(many / 3);
  const range = Array.from({ length: third }, (_, at) => at);
  const named = (at) => `job-${at}`;
  return {
    nodes: [
      ...range.map((at) => stream(`source-${at}`)),
      ...range.map((at) =>
        job(
          {
            id: named(at),
            name: named(at),
            desired: "running",
            observed: "running",
            lag: { records: at, seconds: at / 10 },
            rows_per_second: at * 7,
          },
          at,
        ),
      ),
      ...range.map((at) => stream(`result-${at}`)),
    ],
    edges: range.flatMap((at) => [
      edge(`stream:source-${at}`, `job:${named(at)}`, at * 7),
      edge(
        `stream:${at % 5 ? `source-${(at * 7) % third}` : `result-${(at + 1) % third}`}`,
        `job:${named(at)}`,
        at,
      ),
      edge(`job:${named(at)}`, `stream:result-${at}`, at * 3),
    ]),
    jobs_left_out: false,
  };
}

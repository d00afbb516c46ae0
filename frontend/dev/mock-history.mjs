/** Histories as columns and the marks on them. */

const RESOLUTIONS = [
  [10, 60],
  [60, 1440],
  [900, 43200],
];

/** The range that a query asks for, in epoch ms, and its resolution in seconds. */
function rangeOf(query) {
  const minutes = Number(query.get("minutes") ?? 60);
  const until = query.get("until") ? Date.parse(query.get("until")) : Date.now();
  const from = until - minutes * 60_000;
  const age = (Date.now() - from) / 60_000;
  const [resolution] = RESOLUTIONS.find(([, kept]) => age <= kept + 1) ?? RESOLUTIONS[2];
  return { from, until, resolution };
}

/**
 * A history.
 *
 * @param query of the request
 * @param measures name → (share of the range, wave) → value
 * @param more (times) → further columns
 */
export function columns(query, measures, more) {
  const { from, until, resolution } = rangeOf(query);
  const at = [];
  for (
    let time = Math.ceil(from / 1000 / resolution) * resolution * 1000;
    time < until;
    time += resolution * 1000
  ) {
    const share = (time - from) / (until - from);
    if (share < 0.4 || share > 0.46) at.push(time);
  }
  const shares = at.map((time) => (time - from) / (until - from));
  const read = (make) => {
    const avg = shares.map((share, index) =>
      make(share, 1 + 0.15 * Math.sin((at[index] / 97_000 / resolution) * 10)),
    );
    return {
      avg,
      min: avg.map((value) => value && value * 0.8),
      max: avg.map((value, index) => value && value * (index % 37 === 5 ? 2.2 : 1.15)),
    };
  };
  return {
    resolution_s: resolution,
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    at: at.map((time) => new Date(time).toISOString()),
    measures: Object.fromEntries(Object.entries(measures).map(([name, make]) => [name, read(make)])),
    ...more(shares),
  };
}

export function marks(query) {
  const { from, until } = rangeOf(query);
  const at = (share) => new Date(from + share * (until - from)).toISOString();
  const plain = { until: null, alert: "", severity: "", open: false };
  return {
    results: [
      { ...plain, kind: "deployment", at: at(0.1), title: "Version 4 started" },
      { ...plain, kind: "stop", at: at(0.4), title: "Stopped" },
      { ...plain, kind: "start", at: at(0.46), title: "Started, version 4" },
      {
        kind: "alert",
        at: at(0.6),
        until: at(0.72),
        title: "Falling behind: Job stock-statistics",
        alert: "a1",
        severity: "warning",
        open: false,
      },
      { ...plain, kind: "restart", at: at(0.75), title: "Restarted. The engine's process ended." },
      {
        kind: "alert",
        at: at(0.9),
        until: null,
        title: "Results not fresh: Job stock-statistics",
        alert: "a2",
        severity: "critical",
        open: true,
      },
    ],
  };
}

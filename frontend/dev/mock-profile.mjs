/** What the stand-in server says of a sample of a stream's records. */

const field = (name, type, more) => ({
  name,
  type,
  nulls: 0,
  distinct: 2000,
  lowest: null,
  highest: null,
  top: [],
  example: null,
  ...more,
});

export const PROFILE = {
  records: 2000,
  rows: 1994,
  malformed: 6,
  oldest: "2026-11-24T02:10:00.000000Z",
  newest: "2026-11-24T02:43:20.000000Z",
  fields: [
    field("symbol", "string", {
      distinct: 4,
      lowest: "AAPL",
      highest: "TSLA",
      top: [
        { value: "AAPL", records: 812 },
        { value: "MSFT", records: 604 },
        { value: "TSLA", records: 398 },
        { value: "IBM", records: 180 },
      ],
      example: "MSFT",
    }),
    field("ask", "double", { nulls: 40, distinct: 1954, lowest: 12.5, highest: 918.25, example: 431.75 }),
    field("at", "timestamp", {
      distinct: 1994,
      lowest: "2026-11-24T02:09:58.100000Z",
      highest: "2026-11-24T02:43:19.900000Z",
      example: "2026-11-24T02:43:19.900000Z",
    }),
    field("venues", "array<string>", { nulls: 1210, distinct: null, example: "['XNAS', 'XNYS']" }),
  ],
};

const DELAYS = [0, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800];
const SHARES = [0.31, 0.12, 0.044, 0.011, 0.003, 0.0008];

export const LATENESS = {
  records: 5000,
  span_seconds: 2000,
  min_span_seconds: 600,
  slices: 12,
  delay_seconds: 10,
  delay_share: 0.003,
  behind: [
    { quantile: 0.5, seconds: 0 },
    { quantile: 0.9, seconds: 1.2 },
    { quantile: 0.99, seconds: 5.4 },
    { quantile: 0.999, seconds: 21 },
    { quantile: 1, seconds: 43.8 },
  ],
  late: DELAYS.map((delay_seconds, at) => ({ delay_seconds, share: SHARES[at] ?? 0 })),
  proposed_seconds: 30,
  partitions: [
    { partition: 0, records: 2510, p99_seconds: 4.9, max_seconds: 12.5, later_seconds: 0 },
    { partition: 1, records: 2490, p99_seconds: 6.1, max_seconds: 43.8, later_seconds: 1.5 },
  ],
  keys: [
    { key: "TSLA", records: 998, max_seconds: 43.8 },
    { key: "AAPL", records: 2030, max_seconds: 12.5 },
  ],
};

/** Every path and query key of the interface, in one typed place. A key begins like its path, so that invalidating is by prefix. */

const enc = encodeURIComponent;

function query(parameters: Record<string, string | number | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `?${text}` : "";
}

const ws = (workspace: string) => `/workspaces/${enc(workspace)}`;
const job = (workspace: string, id: string) => `${ws(workspace)}/jobs/${enc(id)}`;
const stream = (workspace: string, name: string) => `${ws(workspace)}/streams/${enc(name)}`;

export interface RecordsQuery {
  from: "newest" | "earliest" | "offset" | "time";
  partition?: string;
  offset?: string;
  time?: string;
  limit?: number;
  cursor?: string;
}

export const paths = {
  session: () => "/session",
  tokens: () => "/tokens",
  token: (id: number | string) => `/tokens/${enc(String(id))}`,
  functions: () => "/functions",
  examples: () => "/examples",
  example: (w: string, id: string) => `${ws(w)}/examples/${enc(id)}`,
  members: (w: string) => `${ws(w)}/members`,
  member: (w: string, id: number | string) => `${ws(w)}/members/${enc(String(id))}`,
  overview: (w: string) => `${ws(w)}/overview`,
  engines: (w: string) => `${ws(w)}/engines`,
  clusters: (w: string) => `${ws(w)}/clusters`,
  topics: (w: string) => `${ws(w)}/topics`,
  check: (w: string) => `${ws(w)}/check`,
  streams: (w: string) => `${ws(w)}/streams`,
  infer: (w: string) => `${ws(w)}/streams/infer`,
  stream,
  records: (w: string, name: string, filter: RecordsQuery) => `${stream(w, name)}/records${query({ ...filter })}`,
  jobs: (w: string) => `${ws(w)}/jobs`,
  job,
  versions: (w: string, id: string) => `${job(w, id)}/versions`,
  verdict: (w: string, id: string) => `${job(w, id)}/verdict`,
  start: (w: string, id: string) => `${job(w, id)}/start`,
  stop: (w: string, id: string) => `${job(w, id)}/stop`,
  runs: (w: string, id: string) => `${job(w, id)}/runs`,
  lag: (w: string, id: string) => `${job(w, id)}/lag`,
  history: (w: string, id: string, minutes: number) => `${job(w, id)}/history${query({ minutes })}`,
  results: (w: string, id: string, limit: number) => `${job(w, id)}/results${query({ limit })}`,
  exportUrl: (w: string, id: string, format: "jsonl" | "csv") => `/api/v1${job(w, id)}/results/export${query({ format })}`,
} as const;

export const keys = {
  session: ["session"] as const,
  tokens: ["tokens"] as const,
  functions: ["functions"] as const,
  examples: ["examples"] as const,
  members: (w: string) => [w, "members"] as const,
  overview: (w: string) => [w, "overview"] as const,
  engines: (w: string) => [w, "engines"] as const,
  clusters: (w: string) => [w, "clusters"] as const,
  topics: (w: string) => [w, "topics"] as const,
  check: (w: string, text: string) => [w, "check", text] as const,
  streams: (w: string) => [w, "streams"] as const,
  stream: (w: string, name: string) => [w, "streams", name] as const,
  records: (w: string, name: string, filter: RecordsQuery) => [w, "streams", name, "records", filter] as const,
  infer: (w: string, topic: string) => [w, "infer", topic] as const,
  jobs: (w: string) => [w, "jobs"] as const,
  job: (w: string, id: string) => [w, "jobs", id] as const,
  versions: (w: string, id: string) => [w, "jobs", id, "versions"] as const,
  verdict: (w: string, id: string, text: string) => [w, "jobs", id, "verdict", text] as const,
  runs: (w: string, id: string) => [w, "jobs", id, "runs"] as const,
  lag: (w: string, id: string) => [w, "jobs", id, "lag"] as const,
  history: (w: string, id: string, minutes: number) => [w, "jobs", id, "history", minutes] as const,
};

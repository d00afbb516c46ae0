/** The HTTP client, typed by the generated schema. No other module sends requests. */

import createClient, { type Middleware } from "openapi-fetch";
import { markBigIntegers, quoteBigIntegers } from "./big-integers";
import { toApiError, unreachable } from "./api-error";
import type { paths } from "./schema";

export { ApiError } from "./api-error";

function cookie(name: string): string {
  const found = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

const session: Middleware = {
  onRequest: ({ request }) => {
    if (request.method !== "GET") request.headers.set("X-CSRFToken", cookie("csrftoken"));
    return request;
  },
  onError: ({ request }) => unreachable(request.method, new URL(request.url).pathname),
};

// Where fields of records are: their numbers may have more digits than a browser keeps.
const ROWS = {
  GET: /\/(records|table|table\/row|profile|alerts(\/[^/]+)?)$/,
  POST: /\/(documents\/preview|row-inputs)$/,
};
/** Rows that are written into a document again, as they are. */
const WRITTEN = /\/(tests|test-runs\/[^/]+)$/;

/** What makes the numbers of an answer exact; null: it has none that are too long. */
export function exactly(method: string, pathname: string): ((json: string) => string) | null {
  if (method === "GET" && WRITTEN.test(pathname)) return markBigIntegers;
  const rows = method === "GET" || method === "POST" ? ROWS[method] : null;
  return rows?.test(pathname) ? quoteBigIntegers : null;
}

const bigIntegers: Middleware = {
  onResponse: async ({ request, response }) => {
    const exact = exactly(request.method, new URL(request.url).pathname);
    if (!response.ok || !exact) return undefined;
    return new Response(exact(await response.text()), {
      status: response.status,
      headers: { "Content-Type": "application/json" },
    });
  },
};

export const api = createClient<paths>({ credentials: "same-origin" });
api.use(session, bigIntegers);

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * The body of an answer.
 *
 * @throws ApiError for every failure; status 0 means that nothing answered
 */
export async function unwrap<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request;
  if (!response.ok) throw toApiError(response.status, error);
  return data as T;
}

/** The HTTP client, typed by the generated schema. No other module sends requests. */

import createClient, { type Middleware } from "openapi-fetch";
import { quoteBigIntegers } from "./big-integers";
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
  onError: () => unreachable(),
};

// Where fields of records are: their numbers may have more digits than a browser keeps.
const RECORDS = /\/(records|table|table\/row)$/;
const PREVIEW = /\/documents\/preview$/;

const bigIntegers: Middleware = {
  onResponse: async ({ request, response }) => {
    const { pathname } = new URL(request.url);
    const hasRows = request.method === "GET" ? RECORDS.test(pathname) : PREVIEW.test(pathname);
    if (!response.ok || !hasRows) return undefined;
    return new Response(quoteBigIntegers(await response.text()), {
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

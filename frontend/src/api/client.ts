/** The one place that talks HTTP, by the generated types. */

import createClient, { type Middleware } from "openapi-fetch";
import { keepDigits } from "./digits";
import { failureOf, unreachable } from "./failure";
import type { paths } from "./schema";

export { ApiError } from "./failure";

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

const digits: Middleware = {
  onResponse: async ({ request, response }) => {
    if (!response.ok || request.method !== "GET" || !RECORDS.test(new URL(request.url).pathname)) return undefined;
    return new Response(keepDigits(await response.text()), { status: response.status, headers: { "Content-Type": "application/json" } });
  },
};

export const api = createClient<paths>({ credentials: "same-origin" });
api.use(session, digits);

interface Answer<T> { data?: T; error?: unknown; response: Response }

/**
 * The body of an answer.
 *
 * @throws ApiError for every failure; status 0 means that nothing answered
 */
export async function take<T>(asked: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await asked;
  if (!response.ok) throw failureOf(response.status, error);
  return data as T;
}

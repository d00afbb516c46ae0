/** The one place that talks HTTP. Failures become `ApiError`, which says what happened and what to do. */

import type { Problem } from "./types";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly code: string | null = null,
    readonly problems: Problem[] = [],
    readonly fields: Record<string, string[]> = {},
  ) {
    super(detail || title);
    this.name = "ApiError";
  }

  /** True where trying the same again may work: nothing answered, or the server said it is overloaded. */
  get temporary(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429;
  }
}

const BASE = "/api/v1";

function cookie(name: string): string {
  const found = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

function fieldErrors(raw: unknown): Record<string, string[]> {
  if (typeof raw !== "object" || raw === null) return {};
  const rows: [string, string[]][] = Object.entries(raw).map(([name, value]) => [
    name,
    (Array.isArray(value) ? value : [value]).map((item) => (typeof item === "string" ? item : JSON.stringify(item))),
  ]);
  return Object.fromEntries(rows);
}

async function failure(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const facts = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof facts[name] === "string" ? facts[name] : "");
  return new ApiError(
    response.status,
    text("title") || `The server answered ${String(response.status)}`,
    text("detail"),
    text("code") || null,
    Array.isArray(facts["problems"]) ? (facts["problems"] as Problem[]) : [],
    fieldErrors(facts["errors"]),
  );
}

/**
 * @param path below /api/v1, from `paths.ts`
 * @returns the JSON body, or null for 204
 * @throws ApiError for every failure; status 0 means that nothing answered
 */
export async function call<T>(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRFToken"] = cookie("csrftoken");
  let response: Response;
  try {
    response = await fetch(BASE + path, {
      method,
      headers,
      credentials: "same-origin",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError(0, "Weir does not answer", "The web process could not be reached. Running jobs go on without it; this page tries again by itself.");
  }
  if (!response.ok) throw await failure(response);
  if (response.status === 204) return null as T;
  return (await response.json()) as T;
}

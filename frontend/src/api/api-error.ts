/** Failures of the API, as problem details say them. No React, no network. */

import type { Problem } from "./types";

/** What became of the records of a request that were not all confirmed. */
export interface Delivery {
  /** By index; null where it was not confirmed. */
  written: readonly ({ partition: number; offset: number } | null)[];
  /** Indexes of those that may have been written all the same. */
  unsure: readonly number[];
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly code: string | null = null,
    readonly problems: Problem[] = [],
    readonly fields: Record<string, string[]> = {},
    readonly delivery: Delivery | null = null,
  ) {
    super(detail || title);
    this.name = "ApiError";
  }

  /** True if a retry may work: no response, or the server is overloaded. */
  get temporary(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429;
  }
}

/** Somebody else saved the same thing meanwhile. */
export function isOutdated(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.code === "VERSION_OUTDATED" || error.code === "REVISION_OUTDATED")
  );
}

/** What is asked with a body, and changes nothing. */
const ASKING = new RegExp(
  "/(documents/(check|forecast|measured-load|preview|script|sql|test-check|to-sql)" +
    "|jobs/[^/]+/(diff|row-inputs|test-check)|streams/[^/]+/(impact|records/check|dead-letters/preview)" +
    "|alert-rules/check|clusters/test|encodings/fields|samples/(infer|validate)|schemas/[^/]+/check" +
    "|shared-dashboard|live-ticket)$",
);

/** Nothing answered at all: what is read is asked again, what is written may have arrived or not. */
export function unreachable(method: string, pathname = ""): ApiError {
  if (method === "GET")
    return new ApiError(0, "Can't reach Weir", "Running jobs aren't affected. Retrying automatically.");
  const detail =
    method === "POST" && ASKING.test(pathname)
      ? "Can't reach Weir. Nothing was changed, and running jobs aren't affected."
      : "Can't reach Weir. The request may or may not have arrived: check before you try again.";
  return new ApiError(0, "Can't reach Weir", detail);
}

function fieldErrors(raw: unknown): Record<string, string[]> {
  if (typeof raw !== "object" || raw === null) return {};
  const rows: [string, string[]][] = Object.entries(raw).map(([name, value]) => [
    name,
    (Array.isArray(value) ? value : [value]).map((item) =>
      typeof item === "string" ? item : JSON.stringify(item),
    ),
  ]);
  return Object.fromEntries(rows);
}

/** @param body the problem details; anything else gives an error with the status alone */
export function toApiError(status: number, body: unknown): ApiError {
  const facts = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof facts[name] === "string" ? facts[name] : "");
  return new ApiError(
    status,
    text("title") || `The server returned ${String(status)}`,
    text("detail"),
    text("code") || null,
    Array.isArray(facts["problems"]) ? (facts["problems"] as Problem[]) : [],
    fieldErrors(facts["errors"]),
    facts["code"] === "PARTLY_WRITTEN" ? (facts as unknown as Delivery) : null,
  );
}

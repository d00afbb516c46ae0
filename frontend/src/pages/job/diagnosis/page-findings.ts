/** What the page itself does to rows: it hides them, gets only some or reads too slowly. No React. */

import type { DiagnosisFact } from "../../../api/types";

export interface PageFinding {
  code: "HIDDEN_BY_PAGE" | "VIEWER_SLOW" | "CONFLATED";
  title: string;
  text: string;
  remedy: string;
  facts: readonly DiagnosisFact[];
  /** it keeps rows from being seen; otherwise it is only worth knowing */
  hides: boolean;
}

/** What the page knows of itself. */
export interface PageState {
  paused: boolean;
  /** rows that changed since the pause */
  pending: number;
  /** keys that the chart is restricted to; empty: all */
  chosen: readonly string[];
  /** keys that the rows have */
  keys: readonly string[];
  /** intermediate updates that the server left out */
  conflated: number;
  /** epoch milliseconds when the connection was ended because this page read too slowly */
  overloadedAt: number | null;
}

export const NOTHING_HIDDEN: PageState = {
  paused: false,
  pending: 0,
  chosen: [],
  keys: [],
  conflated: 0,
  overloadedAt: null,
};

/** An older overload says nothing of the present. */
export const RECENT_MS = 5 * 60_000;

/** @param now epoch milliseconds */
export function pageFindings(page: PageState, now: number): PageFinding[] {
  return [hidden(page), slow(page, now), conflated(page)].filter((found) => found !== null);
}

function hidden({ paused, pending, chosen, keys }: PageState): PageFinding | null {
  const absent = chosen.length > 0 && keys.length > 0 && !chosen.some((key) => keys.includes(key));
  if (!paused && !absent) return null;
  const facts: DiagnosisFact[] = [];
  if (paused) facts.push({ label: "Rows changed since the pause", kind: "count", value: pending });
  if (absent)
    facts.push(
      { label: "Keys chosen", kind: "text", value: chosen.join(", ") },
      { label: "Other keys with rows", kind: "count", value: keys.length },
    );
  return {
    code: "HIDDEN_BY_PAGE",
    title: "This page hides rows",
    text: [
      paused && "It is paused, so rows that came since aren't shown.",
      absent && "The chart is restricted to keys that no row on this page has.",
    ]
      .filter(Boolean)
      .join(" "),
    remedy: [paused && "Resume.", absent && "Clear the choice of keys."].filter(Boolean).join(" "),
    facts,
    hides: true,
  };
}

function slow({ overloadedAt }: PageState, now: number): PageFinding | null {
  if (overloadedAt === null || now - overloadedAt >= RECENT_MS) return null;
  return {
    code: "VIEWER_SLOW",
    title: "This page reads too slowly",
    text: "The server ended the connection because updates waited too long. The page connects again.",
    remedy: "Check the network, close other tabs of Weir, or group the rows by fewer keys.",
    facts: [{ label: "Connection ended", kind: "instant", value: new Date(overloadedAt).toISOString() }],
    hides: true,
  };
}

function conflated({ conflated: skipped }: PageState): PageFinding | null {
  if (skipped === 0) return null;
  return {
    code: "CONFLATED",
    title: "Intermediate updates are left out",
    text: "Rows change faster than they are sent, so that of each key only the newest row is shown.",
    remedy: "Write the rows to a topic to have every update.",
    facts: [{ label: "Updates left out", kind: "count", value: skipped }],
    hides: false,
  };
}

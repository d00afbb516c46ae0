/** Time window and filters of a dashboard in its address. No React. */

import type { DashboardDocument, FieldFilter, Panel } from "../../api/types";
import { EMPTY_ITEM, itemText } from "../../ui/addresses";
import { parseDuration } from "../../ui/format/durations";

export const WINDOWS: readonly { value: string; label: string }[] = [
  { value: "1m", label: "1 min" },
  { value: "5m", label: "5 min" },
  { value: "15m", label: "15 min" },
  { value: "1h", label: "1 h" },
  { value: "6h", label: "6 h" },
  { value: "1d", label: "1 d" },
  { value: "all", label: "All" },
];

/** The choices, with one that a document has and the list has not. */
export function windowChoices(chosen: string): readonly { value: string; label: string }[] {
  if (WINDOWS.some(({ value }) => value === chosen)) return WINDOWS;
  return [...WINDOWS.slice(0, -1), { value: chosen, label: chosen }, ...WINDOWS.slice(-1)];
}

/** Seconds of a time window; null: all rows. */
export function windowSeconds(text: string): number | null {
  const ms = text === "all" ? null : parseDuration(text);
  return ms === null ? null : ms / 1000;
}

/** `symbol:AAPL|MSFT;origin:JFK`; names and values are percent-encoded, the empty value is `%`. */
export function filtersText(filters: readonly FieldFilter[]): string {
  const one = ({ field, values }: FieldFilter) =>
    `${encodeURIComponent(field)}:${values.map((value) => itemText(String(value))).join("|")}`;
  return filters.map(one).join(";");
}

/** Filters of an address; what is no filter is left out. */
export function parseFilters(text: string): FieldFilter[] {
  return text.split(";").flatMap((part) => {
    const [field, values] = part.split(":");
    const read = (values ?? "").split("|").filter(Boolean).flatMap(decoded);
    return field && read.length ? decoded(field).map((name) => ({ field: name, values: read })) : [];
  });
}

function decoded(text: string): string[] {
  if (text === EMPTY_ITEM) return [""];
  try {
    return [decodeURIComponent(text)];
  } catch {
    return [];
  }
}

/** The fields that a dashboard can be filtered by: those that name series, and those of its own filters. */
export function filterFields(document: DashboardDocument): string[] {
  const fields = document.panels.flatMap(keyFields);
  return [...new Set([...document.filters.map(({ field }) => field), ...fields])];
}

function keyFields(panel: Panel): readonly string[] {
  if ("series" in panel) return panel.series;
  return "label" in panel ? panel.label : [];
}

/** The filters with the values of one field replaced; no values: without it. */
export function withFilter(
  filters: readonly FieldFilter[],
  field: string,
  values: readonly string[],
): FieldFilter[] {
  const rest = filters.filter((filter) => filter.field !== field);
  return values.length ? [...rest, { field, values: [...values] }] : rest;
}

/** A panel as it is edited: what keeps it from being applied, and its form when it is. No React. */

import type { Panel } from "../../api/types";

/** What a person has to do before the panel can be applied; null: nothing. */
export function lackingOf(panel: Panel): string | null {
  if (panel.filters.some(({ values }) => values.length === 0))
    return "Choose values for each filter, or remove it.";
  if (panel.kind === "top_list" && panel.label.length === 0) return "Choose the keys of the list.";
  if (
    "thresholds" in panel &&
    new Set(panel.thresholds.map(({ value }) => value)).size < panel.thresholds.length
  )
    return "Two thresholds begin at the same value.";
  return null;
}

/** Thresholds in the order of their values: a number has the tone of the last that it reaches. */
export function applied(panel: Panel): Panel {
  if (!("thresholds" in panel)) return panel;
  return { ...panel, thresholds: [...panel.thresholds].sort((a, b) => a.value - b.value) };
}

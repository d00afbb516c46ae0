import { useCallback, useMemo } from "react";
import type { DashboardDocument } from "../../api/types";
import { useUrlState } from "../../ui/url-state";
import type { View } from "./filter-bar";
import { filtersText, parseFilters } from "./view-state";

/** Time window and filters: those of the address, else those that the dashboard was saved with. */
export function useView(document: DashboardDocument): [View, (view: View) => void] {
  const saved = useMemo(() => filtersText(document.filters), [document.filters]);
  const savedWindow = document.window ?? "all";
  const [window, setWindow] = useUrlState("window", savedWindow);
  const [filters, setFilters] = useUrlState("filters", saved);
  const view = useMemo<View>(() => ({ window, filters: parseFilters(filters) }), [window, filters]);
  const change = useCallback(
    (next: View) => {
      if (next.window !== window) setWindow(next.window);
      const text = filtersText(next.filters);
      if (text !== filters) setFilters(text);
    },
    [window, filters, setWindow, setFilters],
  );
  return [view, change];
}

/** Time window and filters that the dashboard was saved with. */
export function savedView(document: DashboardDocument): View {
  return { window: document.window ?? "all", filters: document.filters };
}

import { useCallback, useMemo, useState } from "react";
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

/**
 * The same without the address: a link to a dashboard ends with its token there. What nobody chose follows
 * the dashboard when it is saved again.
 */
export function useLinkView(document: DashboardDocument): [View, (view: View) => void] {
  const [chosen, setChosen] = useState<Partial<View>>({});
  const view = useMemo(() => linkView(document, chosen), [document, chosen]);
  const change = useCallback(
    (next: View) => {
      setChosen((before) => ({ ...before, ...choice(view, next) }));
    },
    [view],
  );
  return [view, change];
}

/** What was chosen, and of the rest what the dashboard is saved with. */
export function linkView(document: DashboardDocument, chosen: Partial<View>): View {
  return { window: document.window ?? "all", filters: document.filters, ...chosen };
}

/** What of a view somebody changed. */
export function choice(view: View, next: View): Partial<View> {
  return {
    ...(next.window !== view.window && { window: next.window }),
    ...(filtersText(next.filters) !== filtersText(view.filters) && { filters: next.filters }),
  };
}

/** The views of one job document. */

export type View = "form" | "text" | "sql" | "drawing";

export const VIEWS: readonly { view: View; label: string }[] = [
  { view: "form", label: "Form" },
  { view: "text", label: "YAML" },
  { view: "sql", label: "SQL" },
  { view: "drawing", label: "Drawing" },
];

/** The view that an address names. */
export function viewOf(name: string): View {
  return VIEWS.find(({ view }) => view === name)?.view ?? "text";
}

/** The views of one job document. */

export type View = "form" | "text" | "sql";

export const VIEWS: readonly { view: View; label: string }[] = [
  { view: "form", label: "Form" },
  { view: "text", label: "YAML" },
  { view: "sql", label: "SQL" },
];

/** The view that an address names. */
export function viewOf(name: string): View {
  return VIEWS.find(({ view }) => view === name)?.view ?? "text";
}

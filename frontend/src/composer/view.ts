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

/** The view in which editing a job opens: the one in which it was made or written last, by whomever. */
export function viewOfJob({ edited_in }: { edited_in: string }): View {
  return viewOf(edited_in);
}

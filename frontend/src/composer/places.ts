/** Where in the form a place of the document stands. */

export function placeName(path: readonly string[]): string {
  return path.join("/");
}

/** Puts the cursor into the field of a path, or of the nearest place above it that the form shows. */
export function goToPlace(form: HTMLElement | null, path: readonly string[]): void {
  for (let length = path.length; length > 0; length -= 1) {
    const place = form?.querySelector<HTMLElement>(`[data-place="${CSS.escape(placeName(path.slice(0, length)))}"]`);
    const field = place?.querySelector<HTMLElement>("input:not([type=hidden]), textarea, button");
    if (!field) continue;
    field.closest("details")?.setAttribute("open", "");
    field.scrollIntoView({ block: "center" });
    field.focus();
    return;
  }
}

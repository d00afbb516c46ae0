/** Finds the form field of a path in the document. */

export function anchorId(path: readonly string[]): string {
  return path.join("/");
}

/** Puts the cursor into the field of a path, or of its nearest parent that the form shows. */
export function focusPath(form: HTMLElement | null, path: readonly string[]): void {
  for (let length = path.length; length > 0; length -= 1) {
    const anchor = form?.querySelector<HTMLElement>(
      `[data-path="${CSS.escape(anchorId(path.slice(0, length)))}"]`,
    );
    const field = anchor?.querySelector<HTMLElement>("input:not([type=hidden]), textarea, button");
    if (!field) continue;
    field.closest("details")?.setAttribute("open", "");
    field.scrollIntoView({ block: "center" });
    field.focus();
    return;
  }
}

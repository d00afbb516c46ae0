/** The source or step that a place on the page belongs to. */

const OF_FORM = /^(?:sources|steps|outputs)\/([^/]+)/;

/**
 * @param target what was clicked or focused in the form or the drawing
 * @return the node's name; null: the place belongs to none
 */
export function nodeAt(target: EventTarget): string | null {
  if (!(target instanceof Element)) return null;
  const drawn = target.closest<HTMLElement>(".react-flow__node[data-id]");
  if (drawn) return drawn.dataset["id"] ?? null;
  const path = target.closest<HTMLElement>("[data-path]")?.dataset["path"] ?? "";
  return OF_FORM.exec(path)?.[1] ?? null;
}

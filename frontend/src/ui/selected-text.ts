type Selected = Pick<Selection, "isCollapsed" | "containsNode"> | null;

/** Whether text of an element is selected: the click that ends its selection is no click on the element. */
export function hasSelectedText(element: Node, selection: Selected = window.getSelection()): boolean {
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}

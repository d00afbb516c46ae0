import { useLayoutEffect, useRef } from "react";
import { counted } from "../../ui/format/numbers";
import { copyNodes, isPasteable, pasteNodes } from "./clipboard";
import { misfit, type Drawn, type Target } from "./fits";
import type { GraphEdge } from "./graph";
import {
  addItem,
  connect,
  disconnect,
  firstReference,
  removeNodes,
  type Item,
  type Place,
} from "./graph-edits";
import { NOTHING, selectionOf, type Selection } from "./selection";

interface EditsOf {
  text: string;
  onChange: (text: string) => void;
  drawn: Drawn;
  selection: Selection;
  select: (selection: Selection) => void;
  /** puts the focus on a node once it is drawn */
  focus: (id: string) => void;
  /** for screen readers */
  say: (words: string) => void;
}

/** The edits of the drawing, each of which selects what it made and says what it did. */
export function useEdits({ text, onChange, drawn, selection, select, focus, say }: EditsOf) {
  // Two edits may come before the page is drawn again.
  const newest = useRef(text);
  useLayoutEffect(() => {
    newest.current = text;
  }, [text]);
  const put = (next: string) => {
    newest.current = next;
    onChange(next);
  };
  const { outline, graph } = drawn;
  const selectedEdge = graph.edges.find(({ id }) => id === selection.edge);

  /** Where an item goes that is added by a click or a key. */
  const placeOfSelection = (): Place => {
    if (selectedEdge) return { edge: selectedEdge };
    const ids = [...selection.nodes];
    const [only] = ids;
    const reads = graph.edges.find(({ to }) => to === only);
    if (ids.length === 1 && only?.startsWith("output:") && reads) return { edge: reads };
    return { after: ids.map((id) => firstReference(outline, id)).filter(Boolean) };
  };
  const add = (item: Item, place: Place = placeOfSelection()): string | null => {
    const added = addItem(newest.current, item, place);
    put(added.text);
    if (added.id === null) return null;
    select(selectionOf(added.id));
    focus(added.id);
    say(`Added ${added.id.replace("output:", "output ")}`);
    return added.id;
  };
  const link = (reference: string, target: Target) => {
    if (misfit(drawn, reference, target) !== null) return;
    put(connect(newest.current, { reference, ...target }));
    say(`Connected ${reference} to ${target.to.replace("output:", "output ")}`);
  };
  const cut = (edge: GraphEdge) => {
    put(disconnect(newest.current, edge));
    // What had the focus is gone with the edge.
    focus(edge.to);
    say(`Disconnected ${edge.reference} from ${edge.to.replace("output:", "output ")}`);
  };
  const remove = () => {
    if (selectedEdge) cut(selectedEdge);
    else if (selection.nodes.size) {
      const ids = [...selection.nodes];
      const isLeft = (id: string | undefined): id is string => id !== undefined && !selection.nodes.has(id);
      const next = [
        graph.edges.find(({ to }) => to === ids[0])?.from,
        graph.edges.find(({ from }) => from === ids[0])?.to,
      ].find(isLeft);
      put(removeNodes(newest.current, ids));
      say(`Deleted ${counted(ids.length, "node")}`);
      if (next !== undefined) {
        select(selectionOf(next));
        focus(next);
        return;
      }
      const other = graph.nodes.map(({ id }) => id).find(isLeft);
      if (other !== undefined) focus(other);
    }
    select(NOTHING);
  };
  const copied = () => copyNodes(newest.current, [...selection.nodes]);
  const paste = (fragment: string): boolean => {
    if (!isPasteable(fragment)) return false;
    const pasted = pasteNodes(newest.current, fragment);
    put(pasted.text);
    select(selectionOf(...pasted.ids));
    const [first] = pasted.ids;
    if (first !== undefined) focus(first);
    say(`Pasted ${counted(pasted.ids.length, "node")}`);
    return true;
  };
  return { add, link, cut, remove, copied, paste };
}

export type Edits = ReturnType<typeof useEdits>;

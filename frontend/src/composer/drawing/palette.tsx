import { useState, type DragEvent, type Ref } from "react";
import { useFunctions } from "../../api/documents";
import { useStreams } from "../../api/streams";
import { carriedList, useCarriedStreams } from "../carried-streams";
import type { Outline } from "../outline";
import { ChoiceList } from "./choice-list";
import type { Item } from "./graph-edits";
import { matching, offersOf, type Offer } from "./palette-items";

const MEDIA = "application/x-weir-item";

/** All that can be added: what the workspace has registered, what the server can run, outputs. */
export function useOffers(outline: Outline): Offer[] {
  const operators = useFunctions().data?.operators.map((operator) => String(operator["name"]));
  const carried = useCarriedStreams();
  const registered = useStreams().data?.results ?? [];
  const known = (carried ? carriedList(carried) : registered).map(({ name, kind }) => ({
    name,
    kind: kind === "table" ? kind : ("stream" as const),
  }));
  return offersOf(new Set(operators), known, outline);
}

interface PaletteProps {
  offers: readonly Offer[];
  onAdd: (item: Item) => void;
  ref?: Ref<HTMLInputElement>;
}

/** The offers beside the drawing: a click or Enter adds one, and each can be dragged into the drawing. */
export function Palette({ offers, onAdd, ref }: PaletteProps) {
  const [search, setSearch] = useState("");
  return (
    <ChoiceList
      {...(ref && { ref })}
      label="Add to the job"
      choices={matching(offers, search)}
      search={search}
      onSearch={setSearch}
      empty="No matches"
      onChoose={({ item }) => {
        setSearch("");
        onAdd(item);
      }}
      onDrag={({ item }, event) => {
        event.dataTransfer.setData(MEDIA, JSON.stringify(item));
        event.dataTransfer.effectAllowed = "copy";
      }}
    />
  );
}

/** What was dragged out of the palette; null for anything else. */
export function draggedItem(event: DragEvent): Item | null {
  const text = event.dataTransfer.getData(MEDIA);
  return text ? (JSON.parse(text) as Item) : null;
}

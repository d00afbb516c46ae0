import { Chooser } from "./chooser";
import type { Drawn, Target } from "./fits";
import { outputId } from "./graph";
import type { Item, Place } from "./graph-edits";
import type { Offer } from "./palette-items";
import { linksOf } from "./targets";
import type { Picture } from "./use-picture";

/** A list over the drawing: what to add and where, what to connect with a node, which node to go to. */
export type Overlay =
  { kind: "add"; place?: Place | undefined } | { kind: "connect"; id: string } | { kind: "find" };

interface OverlaysProps {
  overlay: Overlay;
  offers: readonly Offer[];
  drawn: Drawn;
  picture: Picture;
  onAdd: (item: Item, place?: Place) => void;
  onConnect: (reference: string, target: Target) => void;
  onFind: (id: string) => void;
  onClose: () => void;
}

export function Overlays({
  overlay,
  offers,
  drawn,
  picture,
  onAdd,
  onConnect,
  onFind,
  onClose,
}: OverlaysProps) {
  switch (overlay.kind) {
    case "add":
      return (
        <Chooser
          title={overlay.place?.edge ? "Insert step" : overlay.place ? "Add step" : "Add to the job"}
          choices={overlay.place ? offers.filter(({ item }) => item.kind === "step") : offers}
          empty="Nothing to add"
          onChoose={({ item }) => {
            onAdd(item, overlay.place);
          }}
          onClose={onClose}
        />
      );
    case "connect":
      return (
        <Chooser
          title={`Connect ${overlay.id.replace(outputId(""), "output ")}`}
          choices={linksOf(drawn, overlay.id)}
          empty="Nothing fits."
          onChoose={({ reference, target }) => {
            onConnect(reference, target);
          }}
          onClose={onClose}
        />
      );
    case "find":
      return <Finder picture={picture} onFind={onFind} onClose={onClose} />;
  }
}

interface FinderProps {
  picture: Picture;
  onFind: (id: string) => void;
  onClose: () => void;
}

/** Finds a node by its name, its operator, or one of its fields. */
export function Finder({ picture, onFind, onClose }: FinderProps) {
  const choices = picture.graph.nodes.map(({ id, name, kind }) => {
    const text = picture.data.get(id)?.text;
    const fields = text?.fields.map((field) => field.name).join(", ") ?? "";
    return {
      key: id,
      group: GROUPS[kind],
      label: name,
      does: [text?.title, fields].filter(Boolean).join(": "),
    };
  });
  return (
    <Chooser
      title="Find a node or field"
      choices={choices}
      empty="Nothing is drawn yet."
      onChoose={({ key }) => {
        onFind(key);
      }}
      onClose={onClose}
    />
  );
}

const GROUPS = { source: "Sources", step: "Steps", output: "Outputs" } as const;

/** The keys of the drawing, as the help lists them. No React. */

export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["Arrows", "Go to the next node"],
  ["Shift + arrows", "Select it, too"],
  ["Alt + arrows", "Move the selected nodes"],
  ["Enter", "Open the form"],
  ["U", "Unfold or fold the fields of the node"],
  ["Esc", "Back to the node; clear the selection"],
  ["A", "Add a step after the node, or on the edge"],
  ["C", "Connect the node"],
  ["E", "Go through the edges of the node; Enter opens one"],
  ["Delete", "Delete the selected nodes or the edge"],
  ["Ctrl + C, X, V", "Copy, cut, paste as YAML"],
  ["Ctrl + A", "Select all"],
  ["Ctrl + Z, Y", "Undo, redo"],
  ["F", "Find a node or field"],
  ["0", "Fit the drawing"],
  ["T", "Tidy: automatic layout"],
  ["+, −, Ctrl + wheel", "Zoom"],
];

export type Command =
  | "add"
  | "connect"
  | "edge"
  | "delete"
  | "find"
  | "fit"
  | "tidy"
  | "open"
  | "fold"
  | "back"
  | "help"
  | "zoomIn"
  | "zoomOut";

const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    a: "add",
    c: "connect",
    e: "edge",
    delete: "delete",
    backspace: "delete",
    f: "find",
    "0": "fit",
    t: "tidy",
    enter: "open",
    u: "fold",
    escape: "back",
    "?": "help",
    "+": "zoomIn",
    "-": "zoomOut",
  } as const),
);

/** Commands that leave the document as it is, so that they also work where the drawing shows only. */
const READING: ReadonlySet<Command> = new Set([
  "tidy",
  "find",
  "fit",
  "back",
  "help",
  "edge",
  "open",
  "fold",
  "zoomIn",
  "zoomOut",
]);

/** The command of a key without Ctrl or Alt; undefined if it has none here. */
export function commandOf(key: string, isEditable: boolean): Command | undefined {
  const command = COMMANDS.get(key.toLowerCase());
  return command && (isEditable || READING.has(command)) ? command : undefined;
}

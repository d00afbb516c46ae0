import { ActionIcon, Tooltip } from "@mantine/core";
import { Icon } from "../ui/icons";
import type { DocumentHistory } from "./use-history";

/** Undo and redo of the document, whichever view changed it. */
export function UndoRedo({ history: { undo, redo, canUndo, canRedo } }: { history: DocumentHistory }) {
  return (
    <span style={{ display: "inline-flex", gap: 4 }}>
      <Tooltip label="Undo (Ctrl+Z)">
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label="Undo"
          style={{ opacity: canUndo ? 1 : 0.45 }}
          aria-disabled={!canUndo}
          onClick={undo}
        >
          <Icon name="undo" />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Redo (Ctrl+Y)">
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label="Redo"
          style={{ opacity: canRedo ? 1 : 0.45 }}
          aria-disabled={!canRedo}
          onClick={redo}
        >
          <Icon name="redo" />
        </ActionIcon>
      </Tooltip>
    </span>
  );
}

import { ActionIcon, Tooltip } from "@mantine/core";
import { Icon } from "../ui/icons";
import type { DocumentHistory } from "./use-history";

/** Undo and redo of the document, whichever view changed it. */
export function UndoRedo({ history: { undo, redo, canUndo, canRedo } }: { history: DocumentHistory }) {
  return (
    <span style={{ display: "inline-flex", gap: 4 }}>
      <HistoryButton name="undo" label="Undo" keys="Ctrl+Z" can={canUndo} onClick={undo} />
      <HistoryButton name="redo" label="Redo" keys="Ctrl+Y" can={canRedo} onClick={redo} />
    </span>
  );
}

interface HistoryButtonProps {
  name: "undo" | "redo";
  label: string;
  keys: string;
  can: boolean;
  onClick: () => void;
}

function HistoryButton({ name, label, keys, can, onClick }: HistoryButtonProps) {
  return (
    <Tooltip label={`${label} (${keys})`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        aria-label={label}
        style={{ opacity: can ? 1 : 0.45 }}
        aria-disabled={!can}
        onClick={onClick}
      >
        <Icon name={name} />
      </ActionIcon>
    </Tooltip>
  );
}

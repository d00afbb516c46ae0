import { ActionIcon, Button } from "@mantine/core";
import { Icon } from "../../../ui/icons";
import { addAt, removeAt, type Path } from "./test-model";

interface RowButtonProps {
  text: string;
  setText: (text: string) => void;
  /** of the row that goes, or of the list that gets one */
  path: Path;
  /** which one, for screen readers */
  label: string;
}

/** Takes a row of a table out of the test. */
export function RemoveRow({ text, setText, path, label }: RowButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={`Remove ${label}`}
      onClick={() => {
        setText(removeAt(text, path));
      }}
    >
      <Icon name="trash" size={14} />
    </ActionIcon>
  );
}

/** Adds a row to a table of the test. */
export function AddRow({
  text,
  setText,
  path,
  label,
  row,
  children,
}: RowButtonProps & { row: object; children: string }) {
  return (
    <Button
      size="xs"
      variant="subtle"
      aria-label={label}
      onClick={() => {
        setText(addAt(text, path, row));
      }}
      leftSection={<Icon name="plus" size={14} />}
    >
      {children}
    </Button>
  );
}

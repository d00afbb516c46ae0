import { Confirm } from "../ui/confirm";

interface ReplaceDraftProps {
  opened: boolean;
  /** what the copy is of; left out: it has no name */
  of?: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before a copy of another document takes the place of the draft of a new job. */
export function ReplaceDraft({ opened, of, onConfirm, onClose }: ReplaceDraftProps) {
  return (
    <Confirm
      opened={opened}
      title="Replace your draft?"
      verb="Replace draft"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>This browser has a draft of a new job. The copy{of && ` of ${of}`} takes its place.</p>
    </Confirm>
  );
}

import { Button } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { Confirm } from "../ui/confirm";

interface DiscardDraftProps {
  /** nothing was written: the button leaves, without a question */
  changed: boolean;
  /** what stays: "Saved versions aren't affected." */
  children: ReactNode;
  subtle?: boolean;
  onDiscard: () => void;
}

/** Leaves an editor without saving; asks where something would be lost. */
export function DiscardDraft({ changed, children, subtle = false, onDiscard }: DiscardDraftProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button
        variant={subtle ? "subtle" : "default"}
        onClick={() => {
          if (changed) setAsking(true);
          else onDiscard();
        }}
      >
        {changed ? "Discard draft" : "Cancel"}
      </Button>
      <DiscardQuestion
        opened={isAsking}
        onClose={() => {
          setAsking(false);
        }}
        onDiscard={onDiscard}
      >
        {children}
      </DiscardQuestion>
    </>
  );
}

interface DiscardQuestionProps {
  opened: boolean;
  children: ReactNode;
  onClose: () => void;
  onDiscard: () => void;
}

export function DiscardQuestion({ opened, children, onClose, onDiscard }: DiscardQuestionProps) {
  return (
    <Confirm
      opened={opened}
      title="Discard draft?"
      verb="Discard draft"
      onClose={onClose}
      onConfirm={() => {
        onClose();
        onDiscard();
      }}
    >
      <p>Your unsaved changes are lost. {children} This can&apos;t be undone.</p>
    </Confirm>
  );
}

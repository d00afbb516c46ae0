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
  const { leave, question } = useLeave(changed, onDiscard, children);
  return (
    <>
      <Button variant={subtle ? "subtle" : "default"} onClick={leave}>
        {changed ? "Discard draft" : "Cancel"}
      </Button>
      {question}
    </>
  );
}

/** As `DiscardDraft`, for a form that is left in several ways. */
export function useLeave(
  changed: boolean,
  onDiscard: () => void,
  stays: ReactNode,
): { leave: () => void; question: ReactNode } {
  const [isAsking, setAsking] = useState(false);
  // After the event: Escape is heard by the form's dialog and by the question, which would close with the key
  // that opened it, or open again with the one that closed it.
  const askLater = (next: boolean) => {
    window.setTimeout(() => {
      setAsking(next);
    }, 0);
  };
  return {
    leave: () => {
      if (isAsking) return;
      if (changed) askLater(true);
      else onDiscard();
    },
    question: (
      <Confirm
        opened={isAsking}
        title="Discard draft?"
        verb="Discard draft"
        onClose={() => {
          askLater(false);
        }}
        onConfirm={() => {
          setAsking(false);
          onDiscard();
        }}
      >
        <p>Your unsaved changes are lost. {stays} This can&apos;t be undone.</p>
      </Confirm>
    ),
  };
}

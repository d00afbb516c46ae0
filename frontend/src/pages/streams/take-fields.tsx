import { Button } from "@mantine/core";
import { useState } from "react";
import { Confirm } from "../../ui/confirm";
import { counted } from "../../ui/format/numbers";
import { hasOwnFields, type StreamDraft } from "./contract-draft";

interface TakeFieldsProps {
  draft: StreamDraft;
  /** what the button says */
  children: string;
  disabled?: boolean;
  loading?: boolean;
  onTake: () => void;
}

/** Takes a draft's fields from elsewhere; asks where that replaces what the user has typed. */
export function TakeFields({ draft, children, disabled = false, loading = false, onTake }: TakeFieldsProps) {
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
  };
  return (
    <>
      <Button
        variant="default"
        disabled={disabled}
        loading={loading}
        onClick={() => {
          if (hasOwnFields(draft)) setAsking(true);
          else onTake();
        }}
      >
        {children}
      </Button>
      <Confirm
        opened={isAsking}
        title="Replace fields?"
        verb="Replace fields"
        onClose={close}
        onConfirm={() => {
          close();
          onTake();
        }}
      >
        <p>
          {counted(draft.fields.length, "field")} of this draft and your edits of names, paths and types are
          replaced. This can&apos;t be undone.
        </p>
      </Confirm>
    </>
  );
}

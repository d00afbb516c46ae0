import { Button } from "@mantine/core";
import { useLayoutEffect, useRef, useState } from "react";
import { Confirm } from "../../ui/confirm";
import { counted } from "../../ui/format/numbers";
import { hasNewerFields, hasOwnFields, type StreamDraft } from "./contract-draft";

interface TakeFieldsProps<T> {
  draft: StreamDraft;
  /** what the button says */
  children: string;
  disabled?: boolean;
  loading?: boolean;
  /** asks for them, maybe elsewhere: the draft can be changed until they are found */
  find: (onFound: (found: T) => void) => void;
  onTake: (found: T) => void;
}

/** Takes a draft's fields from elsewhere; asks where that replaces what the user has typed. */
export function TakeFields<T>({
  draft,
  children,
  disabled = false,
  loading = false,
  find,
  onTake,
}: TakeFieldsProps<T>) {
  const [asked, setAsked] = useState<{ found?: { fields: T } } | null>(null);
  const latest = useRef(draft);
  useLayoutEffect(() => {
    latest.current = draft;
  }, [draft]);
  const close = () => {
    setAsked(null);
  };
  const start = () => {
    find((fields) => {
      if (hasNewerFields(latest.current, draft)) setAsked({ found: { fields } });
      else onTake(fields);
    });
  };
  return (
    <>
      <Button
        variant="default"
        disabled={disabled}
        loading={loading}
        onClick={() => {
          if (hasOwnFields(draft)) setAsked({});
          else start();
        }}
      >
        {children}
      </Button>
      <Confirm
        opened={asked !== null}
        title="Replace fields?"
        verb="Replace fields"
        onClose={close}
        onConfirm={() => {
          close();
          if (asked?.found) onTake(asked.found.fields);
          else start();
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

import { createContext, useContext, useState, type ReactNode } from "react";
import type { Selection } from "../../../api/dead-letters";
import type { DeadLetterDetail, Stream } from "../../../api/types";
import { BulkEdit } from "./bulk-edit";
import { DiscardForm } from "./discard-form";
import { EditDeadLetter } from "./edit-dead-letter";
import { RedriveForm } from "./redrive-form";

/** A form and what it is about, as it was when the form was opened. */
type OpenForm =
  | { kind: "redrive" | "edit" | "discard"; choice: Selection; deadLetters: number }
  | { kind: "edit_one"; deadLetter: DeadLetterDetail };

const OpenFormContext = createContext<(form: OpenForm) => void>(() => undefined);

/** Opens a form about dead letters. */
export function useOpenForm(): (form: OpenForm) => void {
  return useContext(OpenFormContext);
}

/**
 * Holds the form that is open. Rows leave the list as newer dead letters come: a form inside of one would go
 * with it, and with all that was typed.
 */
export function DeadLetterForms({ stream, children }: { stream: Stream; children: ReactNode }) {
  const [form, setForm] = useState<OpenForm | null>(null);
  return (
    <OpenFormContext value={setForm}>
      {children}
      {form && (
        <Form
          stream={stream}
          form={form}
          onClose={() => {
            setForm(null);
          }}
        />
      )}
    </OpenFormContext>
  );
}

function Form({ stream, form, onClose }: { stream: Stream; form: OpenForm; onClose: () => void }) {
  if (form.kind === "edit_one")
    return <EditDeadLetter stream={stream} deadLetter={form.deadLetter} onClose={onClose} />;
  const { kind, choice, deadLetters } = form;
  const about = { stream, choice, deadLetters, onClose };
  if (kind === "redrive") return <RedriveForm {...about} />;
  if (kind === "edit") return <BulkEdit {...about} />;
  return <DiscardForm {...about} />;
}

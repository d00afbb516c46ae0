import { Select, Textarea } from "@mantine/core";
import type { Contract } from "../../../api/types";
import { keyWays, valueWays, type RecordDraft } from "./record-draft";

export const MONO = { input: { fontFamily: "var(--mantine-font-family-monospace)" } };

interface InputProps {
  contract: Contract;
  draft: RecordDraft;
  change: (part: Partial<RecordDraft>) => void;
}

/** In which form a record's value is typed. */
export function ValueFormat({ contract, draft, change }: InputProps) {
  const ways = valueWays(contract);
  return (
    <Select
      label="Value format"
      allowDeselect={false}
      maw={420}
      data={ways}
      value={draft.valueAs}
      onChange={(as) => {
        change({ valueAs: ways.find(({ value }) => value === as)?.value ?? draft.valueAs });
      }}
    />
  );
}

/** A record's value; there is none to type when it is null. */
export function ValueInput({ draft, change, about }: Omit<InputProps, "contract"> & { about?: string }) {
  return (
    <Textarea
      label="Value"
      description={about}
      autosize
      minRows={4}
      maxRows={16}
      value={draft.value}
      onChange={(e) => {
        change({ value: e.currentTarget.value });
      }}
      styles={MONO}
    />
  );
}

/** In which form a record's key is typed. */
export function KeyFormat({ contract, draft, change }: InputProps) {
  const ways = keyWays(contract);
  return (
    <Select
      label="Key format"
      allowDeselect={false}
      data={ways}
      value={draft.keyAs}
      onChange={(as) => {
        change({ keyAs: ways.find(({ value }) => value === as)?.value ?? draft.keyAs });
      }}
    />
  );
}

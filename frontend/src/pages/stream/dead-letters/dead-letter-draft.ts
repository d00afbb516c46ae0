/** A dead letter as it is edited: its value, key and headers, and what is sent instead. No React. */

import type { Contract, NewRecord, DeadLetterDetail } from "../../../api/types";
import { headerOf, isStructured, keyOf, valueOf, type HeaderDraft, type RecordDraft } from "../produce/record-draft";

type Kept = Pick<DeadLetterDetail, "value" | "value_is_text" | "value_json" | "key" | "key_is_text" | "key_json" | "headers">;

/** What the form begins with: JSON where the server makes the bytes, text where it is text, else the bytes. */
export function deadLetterDraft(letter: Kept, contract: Contract): RecordDraft {
  const structured = isStructured(contract);
  const headers: HeaderDraft[] = letter.headers.map(({ name, value, value_is_text }) => ({ name, value: value ?? "", as: value === null ? "null" : value_is_text ? "text" : "base64" }));
  return { ...valueDraft(letter, structured), ...keyDraft(letter, contract), headers, partition: null };
}

function valueDraft({ value, value_is_text, value_json }: Kept, structured: boolean): Pick<RecordDraft, "value" | "valueAs"> {
  if (value === null) return { value: "", valueAs: "null" };
  if (structured && value_json !== null) return { value: value_json, valueAs: "json" };
  if (value_is_text) return { value, valueAs: structured ? "json" : "text" };
  return { value, valueAs: "base64" };
}

function keyDraft({ key, key_is_text, key_json }: Kept, contract: Contract): Pick<RecordDraft, "key" | "keyAs"> {
  if (key === null) return { key: "", keyAs: "null" };
  if (key_is_text) return { key, keyAs: "text" };
  return key_json !== null && contract.key?.length ? { key: key_json, keyAs: "fields" } : { key, keyAs: "base64" };
}

/** True where bytes must be made and a mere text came: what is wrong with such a letter is that nobody made them. */
export function isBare({ value, value_is_text, value_json }: Kept, contract: Contract): boolean {
  return isStructured(contract) && value !== null && value_is_text && value_json === null;
}

/** The record to send. What nobody touched goes byte for byte: writing it anew could change its bytes. */
export function replacement(draft: RecordDraft, letter: Kept, contract: Contract): NewRecord {
  const before = deadLetterDraft(letter, contract);
  const sameValue = !isBare(letter, contract) && draft.valueAs === before.valueAs && draft.value === before.value && letter.value !== null;
  const sameKey = draft.keyAs === before.keyAs && draft.key === before.key && letter.key !== null;
  return {
    ...(sameValue ? (letter.value_is_text ? { value: letter.value } : { value_base64: letter.value }) : valueOf(draft)),
    ...(sameKey ? (letter.key_is_text ? { key: letter.key } : { key_base64: letter.key }) : keyOf(draft)),
    headers: draft.headers.filter(({ name }) => name !== "").map(headerOf),
  };
}

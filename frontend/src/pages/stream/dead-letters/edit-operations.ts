import { losesDigits } from "../../../api/big-integers";
import type { EditOperation } from "../../../api/types";

/** A step as it is being typed. */
export interface Draft {
  op: EditOperation["op"];
  field: string;
  value: string;
  onlyMissing: boolean;
  to: string;
  text: string;
  by: string;
}

export const NEW_OPERATION: Draft = {
  op: "set",
  field: "",
  value: "",
  onlyMissing: false,
  to: "",
  text: "",
  by: "",
};

/** The steps that are meant, or null while one of them lacks something. */
export function operationsOf(drafts: readonly Draft[]): EditOperation[] | null {
  const steps = drafts.map(operationOf);
  return steps.every((step) => step !== null) ? steps : null;
}

function operationOf(draft: Draft): EditOperation | null {
  if (draft.op === "replace") return draft.text ? { op: "replace", text: draft.text, by: draft.by } : null;
  if (!draft.field.trim()) return null;
  const field = draft.field.trim();
  if (draft.op === "remove") return { op: "remove", field };
  if (draft.op === "rename") return draft.to.trim() ? { op: "rename", field, to: draft.to.trim() } : null;
  const value = valueOf(draft.value);
  return value === undefined ? null : { op: "set", field, value, only_missing: draft.onlyMissing };
}

/**
 * What was typed as JSON where it is JSON, else as a text; undefined for nothing, and where a browser would
 * round a number in it.
 */
export function valueOf(typed: string): unknown {
  const text = typed.trim();
  if (!text) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return typed;
  }
  return losesDigits(text) ? undefined : value;
}

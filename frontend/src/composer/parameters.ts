/** An operator's parameter in the form: kind of input, label, and when it is shown. No React. */

import unsupportedParameters from "./unsupported.json";

export type Values = Readonly<Record<string, unknown>>;

/** What decides whether a parameter is shown: the step's parameters and the field types of its first input. */
export interface FieldContext { params: Values; types: ReadonlyMap<string, string> }

interface Common {
  /** path below the step in the document */
  path: readonly string[];
  label: string;
  hint?: string;
  /** shown only if true, or if the document sets the parameter */
  when?: (around: FieldContext) => boolean;
}

export type Field = Common & (
  | { kind: "expression"; example: string; optional?: true }
  /** `example` is the default, or a sample value where there is none */
  | { kind: "text"; example?: string }
  | { kind: "number"; step: number; whole?: true; example?: string }
  | { kind: "field"; types?: readonly string[] }
  | { kind: "fields" }
  | { kind: "choice"; initial: string; options: readonly Choice[] }
  | { kind: "flag" }
  /** an optional object; `begins` is its initial value */
  | { kind: "present"; begins: Values }
  /** named values: expressions, measures or texts; `left` and `right` are the suggestions for names and values */
  | { kind: "named"; what: string; example: string; reads: "expression" | "measure" | "text"; left?: Offered; right?: Offered }
  /** field names, or named expressions */
  | { kind: "columns"; what: string; example: string }
  | { kind: "window" }
  | { kind: "emission" }
  | { kind: "late" }
  | { kind: "prefix" }
);

/** Suggestions: fields of the first or second input, or types. */
export type Offered = "first" | "second" | "types";

export const TYPES: readonly string[] = ["boolean", "int", "long", "double", "decimal(18,2)", "string", "bytes", "timestamp", "date"];

export interface Choice { value: string; label: string }

export const EMISSIONS: readonly Choice[] = [{ value: "update", label: "On every update" }, { value: "final", label: "When the window closes" }];
export const LATE_POLICIES: readonly Choice[] = [{ value: "drop", label: "Drop and count" }, { value: "dead_letter", label: "Send to late output" }];

export function valueAt(params: Values, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (typeof value === "object" && value !== null ? (value as Values)[name] : undefined), params);
}

const UNSUPPORTED: Readonly<Record<string, Values>> = unsupportedParameters;

/** Whether this version rejects the parameter in every document; a test of the backend checks the list. */
export function isUnsupported(op: string, field: Field): boolean {
  return field.path.join(".") in (UNSUPPORTED[op] ?? {});
}

/** The parameters that a step shows: those that apply, and those that the document sets. */
export function shownFields(op: string, fields: readonly Field[], around: FieldContext): Field[] {
  return fields.filter((field) => valueAt(around.params, field.path) !== undefined || (!isUnsupported(op, field) && (field.when?.(around) ?? true)));
}

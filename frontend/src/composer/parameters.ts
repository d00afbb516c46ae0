/** A parameter of an operator as the form shows it: which field, what it is called, when it is there. No React. */

import unsupportedParameters from "./unsupported.json";

export type Values = Readonly<Record<string, unknown>>;

/** What a field's presence may depend on: the step's parameters and the types of its first input's fields. */
export interface FieldContext { params: Values; types: ReadonlyMap<string, string> }

interface Common {
  /** its place below the step */
  path: readonly string[];
  label: string;
  hint?: string;
  /** shown only then; what the document says is shown always */
  when?: (around: FieldContext) => boolean;
}

export type Field = Common & (
  | { kind: "expression"; example: string; optional?: true }
  /** `example` is what is meant when it is empty, or how it may look */
  | { kind: "text"; example?: string }
  | { kind: "number"; step: number; whole?: true; example?: string }
  | { kind: "field"; types?: readonly string[] }
  | { kind: "fields" }
  | { kind: "choice"; initial: string; options: readonly Choice[] }
  | { kind: "flag" }
  /** an object that is there or not; `begins` is what it is at first */
  | { kind: "present"; begins: Values }
  /** names with values: expressions, measures, or texts; `left` and `right` say what may be chosen for names and values */
  | { kind: "named"; what: string; example: string; reads: "expression" | "measure" | "text"; left?: Offered; right?: Offered }
  /** names of fields, or names with expressions */
  | { kind: "columns"; what: string; example: string }
  | { kind: "window" }
  | { kind: "emission" }
  | { kind: "late" }
  | { kind: "prefix" }
);

/** Fields of the first or second input, or types. */
export type Offered = "first" | "second" | "types";

export const TYPES: readonly string[] = ["boolean", "int", "long", "double", "decimal(18,2)", "string", "bytes", "timestamp", "date"];

export interface Choice { value: string; label: string }

export const EMISSIONS: readonly Choice[] = [{ value: "update", label: "On every update" }, { value: "final", label: "When the window closes" }];
export const LATE_POLICIES: readonly Choice[] = [{ value: "drop", label: "Drop and count" }, { value: "dead_letter", label: "Send to late output" }];

export function valueAt(params: Values, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (typeof value === "object" && value !== null ? (value as Values)[name] : undefined), params);
}

const UNSUPPORTED: Readonly<Record<string, Values>> = unsupportedParameters;

/** Whether this version refuses the parameter in every document; a test of the backend holds the list true. */
export function isUnsupported(op: string, field: Field): boolean {
  return field.path.join(".") in (UNSUPPORTED[op] ?? {});
}

/** The fields that a step shows at the moment: what does not apply and is not written stays away. */
export function shownFields(op: string, fields: readonly Field[], around: FieldContext): Field[] {
  return fields.filter((field) => valueAt(around.params, field.path) !== undefined || (!isUnsupported(op, field) && (field.when?.(around) ?? true)));
}

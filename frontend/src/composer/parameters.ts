/** An operator's parameter in the form: metadata of the backend, and when it is shown. No React. */

import { count } from "../ui/format/numbers";
import unsupportedParameters from "./unsupported.json";

export type Values = Readonly<Record<string, unknown>>;

/** What the backend says about a parameter: an entry of `operator-parameters.json`. */
export interface Metadata {
  /** kind of input */
  input: string;
  label: string;
  help?: string;
  /** whether the help stands below the input; otherwise it is a tooltip */
  inline?: boolean;
  required?: boolean;
  default?: unknown;
  example?: unknown;
  /** unit of a number */
  unit?: string;
  /** values of a choice, and their labels */
  options?: readonly string[];
  labels?: Readonly<Record<string, string>>;
  /** types of which a field must be */
  types?: readonly string[];
  /** noun for one entry of columns or of a mapping, and what its keys and values are */
  entry?: string;
  keys?: string;
  values?: string;
}
/** Metadata by dotted path; parameters of objects follow the object. */
export type OperatorParameters = Readonly<Record<string, Metadata>>;

/** What decides whether a parameter is shown: the step's parameters, and field types of its first input. */
export interface FieldContext {
  params: Values;
  types: ReadonlyMap<string, string>;
}

export interface Field extends Metadata {
  /** path below the step in the document */
  path: readonly string[];
  /** step of a number's buttons */
  step?: number;
  /** shown only if true, or if the document sets the parameter */
  when?: (around: FieldContext) => boolean;
}

export const TYPES: readonly string[] = [
  "boolean",
  "int",
  "long",
  "double",
  "decimal(18,2)",
  "string",
  "bytes",
  "timestamp",
  "date",
];

export interface Choice {
  value: string;
  label: string;
}

/** The values of a choice with their labels. */
export function choices({ options = [], labels = {} }: Pick<Metadata, "options" | "labels">): Choice[] {
  return options.map((value) => ({ value, label: labels[value] ?? value }));
}

/** The label of a number's input has its unit, unless the words have it already. */
export function labelWithUnit({ label, unit }: Pick<Metadata, "label" | "unit">): string {
  return !unit || label.includes(unit) ? label : `${label} (${unit})`;
}

/** The default, which holds while the input is empty; an example of a value that has no default. */
export function placeholder({ input, default: otherwise, example, required }: Metadata): string {
  if (typeof otherwise === "string" || typeof otherwise === "number")
    return defaultHint(asPlaceholder(otherwise));
  if (input === "text" && !required) return "";
  const shown = asPlaceholder(isRecord(example) ? Object.values(example)[0] : example);
  return shown && `e.g. ${shown}`;
}

/** A placeholder says that it is none of the person's values. */
export function defaultHint(value: string): string {
  return value && `Default: ${value}`;
}

function asPlaceholder(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : String(value);
  return typeof value === "string" ? value : "";
}

export function isRecord(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function valueAt(params: Values, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), params);
}

const UNSUPPORTED: Readonly<Record<string, Values>> = unsupportedParameters;

/** Whether this version rejects the parameter in every document; a test of the backend checks the list. */
export function isUnsupported(op: string, field: Field): boolean {
  return field.path.join(".") in (UNSUPPORTED[op] ?? {});
}

/** The parameters that a step shows: those that apply, and those that the document sets. */
export function shownFields(op: string, fields: readonly Field[], around: FieldContext): Field[] {
  return fields.filter(
    (field) =>
      valueAt(around.params, field.path) !== undefined ||
      (!isUnsupported(op, field) && (field.when?.(around) ?? true)),
  );
}

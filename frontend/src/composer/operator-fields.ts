/** The form of an operator, built from the metadata of its parameters. No React. */

import {
  isRecord,
  valueAt,
  type Field,
  type FieldContext,
  type OperatorParameters,
  type Values,
} from "./parameters";

export const GROUPS = ["Rows", "Windows", "Join", "Multiple inputs"] as const;
export type Group = (typeof GROUPS)[number];

export interface Operator {
  /** menu item that adds the step */
  title: string;
  /** short description beside the step's name */
  does: string;
  group: Group;
  /** parameters that name the step's inputs */
  inputs: readonly string[];
  inputLabels: Readonly<Record<string, string>>;
  /** parameters of a new step */
  fresh: Values;
  /** all other parameters */
  fields: readonly Field[];
}

/** What is a matter of taste in an operator's form; what is left out follows from the parameters. */
export interface Presentation {
  title?: string;
  does?: string;
  group?: Group;
  /** parameters that come first, in this order; the others follow in the backend's order */
  order?: readonly string[];
  /** parameters of a new step; the required ones are empty unless this is set */
  fresh?: Values;
  /** inputs other than the backend's kind, by path */
  widgets?: Readonly<Record<string, "emission" | "prefix">>;
  /** steps of the buttons of numbers, by path */
  steps?: Readonly<Record<string, number>>;
  /** conditions under which parameters are shown, by path */
  when?: Readonly<Record<string, (around: FieldContext) => boolean>>;
}

const INPUTS: ReadonlySet<string> = new Set(["step", "steps"]);

/**
 * @param op the operator's name in documents
 * @param summary one line, as the backend has it
 */
export function buildOperator(
  op: string,
  parameters: OperatorParameters,
  summary: string,
  taste: Presentation = {},
): Operator {
  const inputs = Object.entries(parameters).filter(([, { input }]) => INPUTS.has(input));
  const fields = buildFields(parameters, taste);
  return {
    title: taste.title ?? sentence(op.replaceAll("_", " ")),
    does: taste.does ?? summary.charAt(0).toLowerCase() + summary.slice(1).replace(/\.$/, ""),
    group: taste.group ?? groupOf(inputs),
    inputs: inputs.map(([name]) => name),
    inputLabels: Object.fromEntries(inputs.map(([name, { label }]) => [name, label])),
    fresh: taste.fresh ?? initialValues(fields),
    fields,
  };
}

function buildFields(parameters: OperatorParameters, taste: Presentation): Field[] {
  const { order = [], widgets = {}, steps = {}, when = {} } = taste;
  const rank = (path: string) => (order.includes(path) ? order.indexOf(path) : order.length);
  return Object.entries(parameters)
    .filter(([path, { input }]) => !INPUTS.has(input) && !isMemberOfWindow(parameters, path))
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([name, metadata]): Field => {
      const path = name.split(".");
      const step = steps[name];
      const shown = [
        ...(path.length > 1 ? [isSet(path.slice(0, -1))] : []),
        ...(when[name] ? [when[name]] : []),
      ];
      return {
        ...metadata,
        path,
        input: widgets[name] ?? metadata.input,
        ...(step !== undefined && { step }),
        ...(shown.length > 0 && { when: (around: FieldContext) => shown.every((one) => one(around)) }),
      };
    });
}

/** The input of a window shows the window's parameters itself. */
function isMemberOfWindow(parameters: OperatorParameters, path: string): boolean {
  return Object.entries(parameters).some(
    ([other, { input }]) => input === "window" && path.startsWith(`${other}.`),
  );
}

/** Parameters of an optional object are shown if the document has the object. */
function isSet(path: readonly string[]) {
  return ({ params }: FieldContext) => isRecord(valueAt(params, path));
}

/** The required parameters, which are empty, or an example where an empty one means nothing. */
function initialValues(fields: readonly Field[]): Values {
  const required = fields.filter(({ path, required }) => required && path.length === 1);
  return Object.fromEntries(required.map((field) => [field.path[0], initialValue(field)] as const)) as Values;
}

function initialValue({ input, example, options }: Field): unknown {
  switch (input) {
    case "fields":
    case "columns":
      return [];
    case "mapping":
      return {};
    case "flag":
      return false;
    case "choice":
      return options?.[0];
    case "duration":
    case "number":
    case "integer":
    case "object":
    case "window":
      return example;
    default:
      return "";
  }
}

function groupOf(inputs: readonly (readonly [string, { input: string }])[]): Group {
  if (inputs.some(([, { input }]) => input === "steps")) return "Multiple inputs";
  return inputs.length > 1 ? "Join" : "Rows";
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

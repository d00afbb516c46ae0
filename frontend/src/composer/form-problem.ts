/** Problems in the words of the form: its labels instead of the document's names, and no YAML. No React. */

import type { Problem } from "../api/types";
import { OPERATORS } from "./operators";
import type { Outline } from "./outline";
import { CHOICES, DURATIONS } from "./settings";

/** A hint that shows how to write it in a document. */
const DOCUMENT_TEXT = /^Example: |\{.*\}|: \w+\(/;

export function formProblem(problem: Problem, { steps }: Pick<Outline, "steps">): Problem {
  const [section = "", name = "", ...rest] = problem.path;
  if (problem.code === "PARAMETER_MISSING" && problem.path.length === 1) {
    const missing = EMPTY_SECTIONS[section];
    if (missing) return { ...problem, ...missing };
  }
  if (section === "name" && problem.message.includes("at least 1 character"))
    return { ...problem, message: "Enter a name.", hint: "" };
  const step = section === "steps" ? steps.find((one) => one.name === name) : undefined;
  const label = step ? labelOf(step.op, rest) : section === "settings" ? settingLabel(name) : null;
  return {
    ...problem,
    message: label === null ? problem.message : withLabel(problem.message, label, problem.path.at(-1) ?? ""),
    hint: DOCUMENT_TEXT.test(problem.hint) ? (HINTS[problem.code] ?? "") : problem.hint,
  };
}

const EMPTY_SECTIONS: Readonly<Partial<Record<string, { message: string; hint: string }>>> = {
  sources: { message: "No source yet.", hint: "Select a stream or table to read." },
  outputs: { message: "No output yet.", hint: "The live result is added with the first source." },
};

const HINTS: Readonly<Partial<Record<string, string>>> = {
  JOIN_NO_KEY: "Add at least one pair of fields.",
  PARAMETER_MISSING: "Fill it in, or remove the step.",
};

function labelOf(op: string, path: readonly string[]): string | null {
  const operator = OPERATORS[op];
  const field = operator?.fields.find((one) => one.path.join(".") === path.join("."));
  return field?.label ?? operator?.inputLabels[path[0] ?? ""] ?? null;
}

function settingLabel(name: string): string | null {
  return [...CHOICES, ...DURATIONS].find((one) => one.name === name)?.label ?? null;
}

/** The message without the parameter's name in front, which is the document's. */
function withLabel(message: string, label: string, name: string): string {
  if (message === `${name} is required.`) return `${label} is missing.`;
  return message.startsWith(`${name}: `) ? `${label}: ${message.slice(name.length + 2)}` : message;
}

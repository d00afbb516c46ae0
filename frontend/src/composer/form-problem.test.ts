import { describe, expect, it } from "vitest";
import type { Problem, SchemaField } from "../api/types";
import { durationProblem } from "./duration-problem";
import { equalNames } from "./equal-names";
import { formProblem } from "./form-problem";

const STEPS = {
  steps: [
    { name: "f", op: "filter", params: {} },
    { name: "j", op: "join", params: {} },
  ],
};

function told(code: string, path: string[], message: string, hint: string): [string, string] {
  const problem: Problem = { code, path, message, hint, severity: "error", span: null };
  const { message: text, hint: advice } = formProblem(problem, STEPS);
  return [text, advice];
}

describe("a fault in the form", () => {
  it("speaks of the form's fields and not of YAML", () => {
    const example = "Example: {op: filter, input: trades, where: price > 10}";
    expect(told("PARAMETER_MISSING", ["steps", "f", "where"], "where is required.", example)).toEqual([
      "Condition is missing.",
      "Fill it in, or remove the step.",
    ]);
    expect(
      told("JOIN_NO_KEY", ["steps", "j", "on"], "No keys.", "Add at least one key: on: {left: right}.")[1],
    ).toBe("Add at least one pair of fields.");
    expect(
      told("PARAMETER_MISSING", ["sources"], "sources is empty.", "Example: sources: {t: {stream: t}}"),
    ).toEqual(["No source yet.", "Select a stream or table to read."]);
    expect(told("PARAMETER_RANGE", ["name"], "name: String should have at least 1 character.", "")[0]).toBe(
      "Enter a name.",
    );
  });

  it("keeps what is said of the data", () => {
    const found = ["Unknown field prize.", "Available: price, symbol."] as const;
    expect(told("FIELD_UNKNOWN", ["steps", "f", "where"], ...found)).toEqual([...found]);
  });
});

it("a duration may be written as the screen prints it", () => {
  expect(["", "30 min", "1 d", "90s"].map(durationProblem)).toEqual([null, null, null, null]);
  expect(durationProblem("5 x")).toContain("Not a duration");
});

it("equal names of equal types are proposed as keys of a join, until they are used", () => {
  const field = (name: string, type = "string"): SchemaField => ({ name, type, nullable: true });
  const left = [field("id"), field("at", "timestamp"), field("n", "int"), field("user")];
  const right = [field("id"), field("n", "long"), field("user")];
  expect(equalNames(left, right, [])).toEqual(["id", "user"]);
  expect(equalNames(left, right, [["id", "id"]])).toEqual(["user"]);
});

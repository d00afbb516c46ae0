import { describe, expect, it } from "vitest";
import { misfit } from "./fits";
import table from "./fits.test-data.json";
import { drawn } from "./trades.test-data";

// Written by `tests/support/drawing_fits.py`.
/** What `plan_job` refuses, with its code, by operator.input and reference. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, string>>>> = table.refused;
const READERS: Readonly<Record<string, object>> = table.readers;

/** The references that an input of a new step of an operator can't read, as the drawing says. */
function closed(port: string): string[] {
  const [op = "", input = ""] = port.split(".");
  const reader = { ...READERS[op], [input]: "" };
  const document = { sources: table.sources, steps: { ...table.steps, reader } };
  const drawing = drawn(JSON.stringify(document));
  return table.references.filter((reference) => misfit(drawing, reference, { to: "reader", input }) !== null);
}

describe("by kinds of rows", () => {
  it.each(Object.keys(REFUSED))("%s takes what the check takes", (port) => {
    const refused = REFUSED[port] ?? {};
    expect(closed(port).filter((reference) => !(reference in refused))).toEqual([]);
  });

  it.each(Object.keys(REFUSED))("%s is closed to what the check refuses", (port) => {
    const shut = new Set(closed(port));
    expect(Object.keys(REFUSED[port] ?? {}).filter((reference) => !shut.has(reference))).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { asNamed, refusalOf, withEntry } from "./values";

describe("rows of names and expressions", () => {
  const written = { a: "x + 1", paid: true, rate: 5, nested: { b: "c" }, open: null };

  it("shows true and false, which YAML reads as no texts", () => {
    expect(asNamed(written).slice(0, 3)).toEqual([
      ["a", "x + 1"],
      ["paid", "true"],
      ["rate", "5"],
    ]);
  });

  it("another expression or name of one leaves the others as they are written", () => {
    expect(withEntry(written, 0, { of: "x + 2" })).toEqual({ ...written, a: "x + 2" });
    expect(withEntry(written, 1, { name: "is_paid" })).toEqual({
      a: "x + 1",
      is_paid: true,
      rate: 5,
      nested: { b: "c" },
      open: null,
    });
  });
});

it("refuses a name that another row has, or that would move its row while it is typed", () => {
  expect(refusalOf("total", ["first"])).toBeNull();
  expect(refusalOf("first", ["first"])).toBe("first already exists.");
  expect(refusalOf("2", ["first"])).toBe("A name begins with a letter.");
  expect(refusalOf("24h", ["first"])).toBeNull(); // in its place: the check of the document judges it
});

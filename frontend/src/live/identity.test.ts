import { describe, expect, it } from "vitest";
import vectors from "../../../tests/unit/jobs/base/identity_vectors.json";
import { identityParts, identityText, type IdentityPart } from "./identity";

interface Part {
  type: string;
  value?: unknown;
  parts?: Part[];
}

/** A part of a test vector in TypeScript: long numbers are bigint, values with a text form are that text. */
function partOf({ type, value, parts }: Part): IdentityPart {
  if (parts) return parts.map(partOf);
  if (Array.isArray(value)) return value.map((inner) => partOf(inner as Part));
  return type === "long" && value !== null ? BigInt(value as string | number) : (value as IdentityPart);
}

describe("identities are the same bytes as in Python and Spark", () => {
  it.each(vectors as { title: string; parts: Part[]; text: string }[])("$title", ({ parts, text }) => {
    expect(identityText(parts.map(partOf))).toBe(text);
    expect(identityParts(text)).toHaveLength(parts.length);
  });

  it("refuses doubles", () => {
    expect(() => identityText([0.5])).toThrow(TypeError);
  });

  it("refuses what is no array", () => {
    expect(() => identityParts("7")).toThrow(TypeError);
  });
});

import { expect, it } from "vitest";
import { keysText, parseKeys } from "./chosen-keys";
import { singleText } from "./result-chart";

it("keys of any name are found again in the address", () => {
  const keys = ["AAPL", "", "%", "a|b", "100%", "two\nlines", "x · y", "50%ab"];
  expect(parseKeys(keysText(keys))).toEqual(keys);
  expect(parseKeys(keysText([""]))).toEqual([""]);
  expect(parseKeys("")).toEqual([]);
});

it("keys of an address that an earlier release wrote are read", () => {
  expect(parseKeys("AAPL|MSFT|100% wool")).toEqual(["AAPL", "MSFT", "100% wool"]);
});

it("a single number keeps every digit", () => {
  expect(singleText("12345678901234567890.12")).toBe("12345678901234567890.12");
  expect(singleText("1152921504606846977")).toBe("1152921504606846977");
  expect(singleText(1234.5)).toBe("1,234.5");
  expect(singleText(null)).toBe("null");
});

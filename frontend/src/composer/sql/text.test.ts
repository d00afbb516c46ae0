import { describe, expect, it } from "vitest";
import type { Problem } from "../../api/types";
import { EMPTY_DOCUMENT } from "../outline";
import { emptySql } from "./head";
import { locateSql } from "./problems";
import { hasComments, isInert, nameSql, offsetOf, stringSql } from "./text";

describe("SQL text", () => {
  it.each([
    ["SELECT 1 -- one", true],
    ["/* all */ SELECT 1", true],
    ["SELECT '--', \"/* */\", `a--b`", false],
    ["SELECT 'it\\'s -- one'", false],
    ["SELECT 'it''s' -- one", true],
    ["SELECT 'not closed -- one", false],
  ])("%s", (text, expected) => {
    expect(hasComments(text)).toBe(expected);
  });

  it("strings and comments are no code, quoted names are", () => {
    const text = "'a' `b` -- c\nd";
    expect([1, 2, 3, 5, 8, 12, 13].map((at) => isInert(text, at))).toEqual([
      true,
      true,
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  it("is counted in characters by the server, in units of UTF-16 here", () => {
    expect([0, 1, 2, 3, 9].map((at) => offsetOf("a😀b", at))).toEqual([0, 1, 3, 4, 4]);
  });

  it("quotes names and strings", () => {
    expect(nameSql("a_1")).toBe("a_1");
    expect(nameSql("a-1")).toBe("`a-1`");
    expect(nameSql("from")).toBe("`from`");
    expect(nameSql("Case")).toBe("`Case`");
    expect(nameSql("from_1")).toBe("from_1");
    expect(stringSql("it's\n\\")).toBe("'it\\'s\\n\\\\'");
  });

  it("of an empty document is its settings, so that one can begin there", () => {
    expect(emptySql(EMPTY_DOCUMENT)).toBe(
      "SET 'name' = 'new-job';\nSET 'mode' = 'auto';\nSET 'engine' = 'shared';\n\n",
    );
    expect(emptySql(EMPTY_DOCUMENT.replace("sources: {}", "sources: {a: {stream: a}}"))).toBeNull();
    expect(emptySql("name: [")).toBeNull();
  });
});

describe("problems of SQL", () => {
  const problem: Problem = {
    code: "SQL_INVALID",
    path: ["sql"],
    message: "",
    hint: "",
    severity: "error",
    span: null,
  };

  it("are at their characters and name the line", () => {
    const [found] = locateSql("-- 😀\nSELECT nme", [{ ...problem, span: [12, 15] }], true);
    expect(found).toMatchObject({ from: 13, to: 16, shown: true, problem: { path: ["Line 2"] } });
  });

  it("without a place are in the list alone, under the document's path", () => {
    const outputs = { ...problem, path: ["outputs"] };
    expect(locateSql("", [outputs, problem], true)).toMatchObject([
      { shown: false, problem: { path: ["outputs"] } },
      { shown: false, problem: { path: [] } },
    ]);
  });

  it("say that a text without statements is no document", () => {
    expect(locateSql("", [], false).map((found) => found.problem.code)).toEqual(["SQL_EMPTY"]);
    expect(locateSql("SELECT 1", [], true)).toEqual([]);
  });
});

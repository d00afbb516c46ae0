import { describe, expect, it } from "vitest";
import type { CheckedNode, Problem } from "../../api/types";
import { OPERATORS } from "../operators";
import { renderedInWorkspace } from "../../testing/rendered";
import { Form } from "./form";

function rendered(
  text: string,
  problems: readonly Problem[] = [],
  nodes: readonly CheckedNode[] = [],
): string {
  return renderedInWorkspace(
    <Form text={text} onChange={() => undefined} problems={problems} nodes={nodes} />,
  );
}

/** A document of one step that sets every parameter which the form has a field for. */
function everything(op: string): string {
  const values = (OPERATORS[op]?.fields ?? [])
    .filter(({ path }) => path.length === 1)
    .map(({ input, path }) => {
      const value =
        {
          mapping: "{a: b}",
          columns: "[a]",
          fields: "[a]",
          window: "{hopping: {size: 1m, advance: 5s, offset: 1s}}",
          flag: "true",
          number: "1",
          object: "{before: 1s, after: 2s, max_rows: 5, refresh: 1h}",
        }[input] ?? "x";
      return `    ${path[0] ?? ""}: ${value}`;
    });
  return [
    "sources: {s: {stream: s, delay: 3s}}",
    "steps:",
    "  one:",
    `    op: ${op}`,
    "    input: s",
    ...values,
    "outputs: {live: {input: one, to: result}}",
  ].join("\n");
}

const paths = (markup: string) =>
  [...markup.matchAll(/data-path="steps\/one\/([^"]*)"/g)].map(([, path]) => path ?? "");

describe("the form", () => {
  it.each(Object.entries(OPERATORS))(
    "%s: a field for every parameter that is written",
    (op, { inputs, fields }) => {
      const shown = paths(rendered(everything(op)));
      expect(shown.sort()).toEqual([...inputs, ...fields.map(({ path }) => path.join("/"))].sort());
    },
  );

  it("a problem stands at its field, and one that no field has at the head of its step", () => {
    const found = (path: string[], message: string): Problem => ({
      code: "X",
      path: ["steps", "one", ...path],
      message,
      hint: "",
      severity: "error",
      span: null,
    });
    const markup = rendered(everything("filter"), [
      found(["where"], "No such field"),
      found(["unheard_of"], "No such parameter"),
    ]);
    expect(markup.indexOf("No such parameter")).toBeGreaterThan(0);
    expect(markup.indexOf("No such parameter")).toBeLessThan(markup.indexOf('data-path="steps/one/input"'));
    expect(markup.indexOf("No such field")).toBeGreaterThan(markup.indexOf('data-path="steps/one/where"'));
  });

  it("a problem of an object stands at the object, a problem of a member at the member alone", () => {
    const found = (path: string[], message: string): Problem => ({
      code: "X",
      path: ["steps", "one", ...path],
      message,
      hint: "",
      severity: "error",
      span: null,
    });
    const count = (markup: string, text: string) => markup.split(text).length - 1;
    const markup = rendered(everything("table_join"), [
      found(["broadcast"], "Not as a copy"),
      found(["broadcast", "max_rows"], "Too many rows"),
    ]);
    expect([count(markup, "Not as a copy"), count(markup, "Too many rows")]).toEqual([1, 1]);
  });

  it("names of an output's fields, with what is wrong at the field", () => {
    const text =
      "sources: {s: {stream: s}}\noutputs: {live: {input: s, to: result}, " +
      "out: {input: s, to: {topic: t, names: {user: user-id, at: [meta, at]}}}}";
    const markup = rendered(text, [
      {
        code: "X",
        path: ["outputs", "out", "to", "names", "user"],
        message: "Taken",
        hint: "",
        severity: "error",
        span: null,
      },
    ]);
    expect(markup.match(/Output field names/g)).toHaveLength(1);
    expect(markup).toContain("2 renamed");
    expect(markup).toContain('value="user-id"');
    expect(markup).toContain('value="meta.at"');
    expect(markup.split("Taken").length - 1).toBe(1);
    expect(markup).toContain('aria-label="Output name of at"');
  });

  it.each(Object.entries(OPERATORS))("%s: shows where a field of its inputs repeats", (op, { inputs }) => {
    const names = inputs.map((name) => `    ${name}: ${name === "inputs" ? "[s]" : "s"}`);
    const text = everything(op).replace("    input: s", names.join("\n"));
    const schema = ["id", "id", "name"].map((name) => ({ name, type: "string", nullable: true }));
    const nodes = [{ name: "s", op: "source", schema, ports: [], only_ports: false }];
    const markup = rendered(text, [], nodes as unknown as CheckedNode[]);
    expect(paths(markup)).toEqual(expect.arrayContaining([...inputs]));
  });

  it("a step that it does not know stays in the text", () => {
    expect(rendered(everything("unheard_of"))).toContain("supported in the form");
  });
});

import { describe, expect, it, vi } from "vitest";
import type Backend from "../operator-parameters.json";
import { buildOperator } from "../operator-fields";
import { OPERATORS } from "../operators";
import { addStep } from "../document-edits";
import { readOutline } from "../outline";
import type { OperatorParameters } from "../parameters";
import { renderedInWorkspace } from "../../testing/rendered";
import { Form } from "./form";

/** What the backend would write for an operator that this frontend has no entry for. */
const THROTTLE = vi.hoisted((): OperatorParameters => ({
  input: { input: "step", label: "Input", help: "Source, step or step.port", required: true },
  by: { input: "fields", label: "Key fields", help: "Rows per key", required: true, example: ["id"] },
  every: {
    input: "duration",
    label: "Interval",
    help: "At most one row per key in this time",
    required: true,
    example: "10s",
    inline: true,
  },
  pass: {
    input: "choice",
    label: "Row to keep",
    help: "Which row of an interval passes",
    default: "first",
    options: ["first", "last"],
    labels: { first: "The first", last: "The last" },
  },
  burst: { input: "integer", label: "Burst", help: "Rows that pass at once", unit: "rows", default: 1_000 },
  alert: { input: "object", label: "Report drops", help: "Counts what was dropped", example: { at: "1m" } },
  "alert.at": { input: "duration", label: "Report every", required: true, example: "1m" },
}));

vi.mock("../operator-parameters.json", async (original) => {
  const { default: backend } = await original<{ default: typeof Backend }>();
  return {
    default: {
      ...backend,
      operators: { ...backend.operators, throttle: THROTTLE },
      summaries: { ...backend.summaries, throttle: "Limit the rows of each key." },
    },
  };
});

const EMPTY = "sources: {s: {stream: s}}\noutputs: {live: {input: s, to: result}}\n";

function rendered(text: string): string {
  return renderedInWorkspace(<Form text={text} onChange={() => undefined} problems={[]} nodes={[]} />);
}

function withStep(op: string): string {
  const reading = readOutline(EMPTY);
  const operator = OPERATORS[op];
  if ("unsupported" in reading || !operator) throw new Error(op);
  return addStep(EMPTY, reading.outline, op, operator);
}

describe("an operator without an entry in operators.ts", () => {
  it("has a menu item, a group and the parameters of a new step", () => {
    const { title, does, group, inputs, fresh } = OPERATORS["throttle"] ?? {};
    expect({ title, does, group, inputs }).toEqual({
      title: "Throttle",
      does: "limit the rows of each key",
      group: "Rows",
      inputs: ["input"],
    });
    expect(fresh).toEqual({ by: [], every: "10s" });
  });

  it("shows every parameter with label, help, example and options", () => {
    const markup = rendered(withStep("throttle"));
    const paths = [...markup.matchAll(/data-path="steps\/throttle\/([^"]*)"/g)].map(([, path]) => path);
    expect(paths).toEqual(["input", "by", "every", "pass", "burst", "alert"]);
    for (const label of ["Input", "Key fields", "Interval", "Row to keep", "Burst (rows)", "Report drops"])
      expect(markup).toContain(`>${label}<`);
    expect(markup).toContain(">At most one row per key in this time<");
    expect(markup).toContain('title="Which row of an interval passes"');
    expect(markup).toContain('value="10s"');
    expect(markup).toContain('value="The first"');
    expect(markup).toContain('placeholder="Default: 1,000"');
  });

  it("shows the members of an optional object when the document has it", () => {
    const markup = rendered(
      withStep("throttle").replace("every: 10s", "every: 10s\n    alert: {at: 5m}\n    pass: last"),
    );
    expect(markup).toContain('data-path="steps/throttle/alert/at"');
    expect(markup).toContain('value="5m"');
    expect(markup).toContain('value="The last"');
  });

  it("takes title, group, order and initial values from an entry", () => {
    const taste = {
      title: "Limit rates",
      group: "Windows",
      order: ["every"],
      fresh: { by: [], every: "1m" },
    } as const;
    const operator = buildOperator("throttle", THROTTLE, "", taste);
    expect(operator).toMatchObject({ title: "Limit rates", group: "Windows", fresh: { every: "1m" } });
    expect(operator.fields.map(({ path }) => path.join("."))).toEqual([
      "every",
      "by",
      "pass",
      "burst",
      "alert",
      "alert.at",
    ]);
  });
});

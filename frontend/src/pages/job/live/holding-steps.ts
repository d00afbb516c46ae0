/** The steps of a document that can keep rows from the result, and how. No React. */

export interface HoldingStep {
  name: string;
  why: string;
}

type Values = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function join({ type }: Values): string | null {
  switch (text(type) || "inner") {
    case "inner":
    case "semi":
      return "a row without a partner gives none; check keys, types and the time limit";
    case "anti":
      return "a row with a partner gives none; others wait until none can come";
    default:
      return null;
  }
}

function tableJoin({ type, version }: Values): string | null {
  if ((text(type) || "inner") === "inner") return "a row without an entry in the table gives none";
  return text(version) === "as_of" ? ORDERED : null;
}

const ORDERED = "rows wait until the watermark has passed them";
const FINAL_ONLY = ["session", "sliding"];

function aggregate({ window, emit }: Values): string | null {
  const kind = isRecord(window) ? (Object.keys(window)[0] ?? "") : "";
  if (!kind || (text(emit) !== "final" && !FINAL_ONLY.includes(kind))) return null;
  return "a window gives its row when the watermark has passed it";
}

const WHYS: Readonly<Record<string, (step: Values) => string | null>> = {
  filter: ({ where }) => `only rows where ${text(where)}`,
  sample: () => "only a part of the rows",
  branch: ({ rest }) => (rest ? null : "rows that fit no branch are dropped"),
  explode: ({ keep_empty: kept }) => (kept === true ? null : "an empty array or map gives no row"),
  join,
  table_join: tableJoin,
  aggregate,
  throttle: () => ORDERED,
};

/** @param document as it was parsed */
export function holdingSteps(document: Values): HoldingStep[] {
  const steps = document["steps"];
  return Object.entries(isRecord(steps) ? steps : {}).flatMap(([name, step]) => {
    const why = isRecord(step) ? WHYS[text(step["op"])]?.(step) : null;
    return why ? [{ name, why }] : [];
  });
}

import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Diagnosis } from "../../../api/types";
import { Findings } from "./diagnosis-view";
import { NOTHING_HIDDEN, pageFindings } from "./page-findings";

const CAUSE: Diagnosis["cause"] = {
  code: "OUTPUT_FLOWS",
  title: "Results are being written",
  text: "Nothing holds them up.",
  remedy: "",
  place: { kind: "output", name: "" },
  facts: [],
  basis: "reported",
  waits: true,
};

test("what hides rows is said before the server's cause, the rest after it", () => {
  const page = pageFindings({ ...NOTHING_HIDDEN, paused: true, pending: 3, conflated: 12 }, 0);
  const html = renderToStaticMarkup(
    <MantineProvider>
      <Findings cause={CAUSE} page={page} />
    </MantineProvider>,
  );
  const at = ["This page hides rows", "Results are being written", "Intermediate updates are left out"].map(
    (title) => html.indexOf(title),
  );
  expect(at.every((index) => index >= 0)).toBe(true);
  expect([...at].sort((a, b) => a - b)).toEqual(at);
  expect(html).toContain("Rows changed since the pause");
});

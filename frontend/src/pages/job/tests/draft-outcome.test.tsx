import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { JobTestRun } from "../../../api/types";
import { DraftOutcome } from "./draft-outcome";

const DIFFERENT = {
  state: "done",
  outcome: { result: { differences: [], total: 0 }, batches: [], expect: {}, message: "" },
} as unknown as JobTestRun;

function said(isCurrent: boolean): string {
  return renderToStaticMarkup(
    <MantineProvider>
      <DraftOutcome
        run={DIFFERENT}
        isCurrent={isCurrent}
        isCanceling={false}
        cancelError={null}
        onCancel={() => undefined}
        onAccept={() => undefined}
      />
    </MantineProvider>,
  );
}

describe("what an unsaved test gave", () => {
  it("may be expected from now on", () => {
    expect(said(true)).toContain("Result of this draft");
    expect(said(true)).toContain("Accept rows as expected");
  });

  it("is of an earlier text once the test is changed, and its rows are not offered", () => {
    expect(said(false)).toContain("Result before your last change");
    expect(said(false)).not.toContain("Accept rows as expected");
  });
});

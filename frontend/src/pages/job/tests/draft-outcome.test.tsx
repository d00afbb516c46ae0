import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { JobTestRun } from "../../../api/types";
import { DraftOutcome } from "./draft-outcome";

const DIFFERENT = {
  state: "done",
  outcome: { result: { differences: [], total: 0 }, batches: [], expect: {}, message: "" },
} as unknown as JobTestRun;

function said(isCurrent: boolean, { run = DIFFERENT, isGone = false } = {}): string {
  return renderToStaticMarkup(
    <MantineProvider>
      <DraftOutcome
        run={run}
        isCurrent={isCurrent}
        isGone={isGone}
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

  it("is not waited for any more once its run was removed", () => {
    const run = { state: "running", outcome: null } as unknown as JobTestRun;
    expect(said(true, { run })).toContain("Running on Spark");
    const gone = said(true, { run, isGone: true });
    expect(gone).toContain("Run the test again");
    expect(gone).not.toContain("Running on Spark");
    expect(gone).not.toContain("Cancel");
  });

  it("is of an earlier text once the test is changed, and its rows are not offered", () => {
    expect(said(false)).toContain("Result before your last change");
    expect(said(false)).not.toContain("Accept rows as expected");
  });
});

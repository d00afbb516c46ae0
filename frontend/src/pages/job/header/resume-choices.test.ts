import { describe, expect, it } from "vitest";
import { unreachable } from "../../../api/api-error";
import { resumeChoices } from "./resume-choices";

describe("resuming in the start menu", () => {
  const asked = { version: 2, resumable: true, reason: "", note: "", resumable_version: 2 };

  it("is not offered before it is known to be possible", () => {
    expect(resumeChoices(2, undefined).map(({ possible }) => possible)).toEqual([false]);
  });

  it("says why it isn't known to be possible", () => {
    const [refused] = resumeChoices(2, undefined, unreachable("GET"));
    expect(refused?.possible).toBe(false);
    expect(refused?.note).toMatch(/^Couldn't check the saved state. Running jobs/);
    expect(resumeChoices(2, asked, unreachable("GET")), "an answer from before").toMatchObject([
      { possible: true },
    ]);
  });

  it("is offered where the state fits", () => {
    expect(resumeChoices(2, asked)).toMatchObject([{ version: 2, possible: true }]);
  });

  it("tells which measures start empty", () => {
    const note = "Measure sums.most starts empty: windows open at the restart are marked partial.";
    expect(resumeChoices(2, { ...asked, note })).toMatchObject([{ title: "Resume", possible: true, note }]);
  });

  it("that can't be has its reason, and the version that can", () => {
    const refused = { ...asked, resumable: false, reason: "This version resets state." };
    expect(resumeChoices(2, { ...refused, resumable_version: 1 })).toMatchObject([
      { version: 2, possible: false, note: "This version resets state." },
      { version: 1, possible: true, title: "Resume with version 1" },
    ]);
    expect(resumeChoices(2, { ...refused, resumable_version: null })).toHaveLength(1);
  });
});

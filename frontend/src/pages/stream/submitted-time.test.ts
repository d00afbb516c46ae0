import { expect, it } from "vitest";
import { localInputText } from "../../ui/format/times";
import { submittedTime } from "./submitted-time";

const CHOSEN = "2026-10-25T01:30:00.250Z";

it("asks for what was typed, and for nothing where nothing was", () => {
  const shown = localInputText(new Date(CHOSEN));
  expect(submittedTime(shown, CHOSEN)).toBeUndefined();
  expect(submittedTime("", "")).toBeUndefined();
  expect(submittedTime("", CHOSEN)).toBeNull();
  expect(submittedTime(shown, "")).toBe("2026-10-25T01:30:00.000Z");
});

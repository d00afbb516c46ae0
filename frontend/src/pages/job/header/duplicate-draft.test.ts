import { beforeEach, describe, expect, it } from "vitest";
import { hasDraft } from "../../../drafts/text-draft";
import { duplicateAsDraft } from "./duplicate-draft";

const JOB = {
  edited_in: "" as const,
  name: "counts",
  document_text: "format: 1\nname: counts # per minute\nsources:\n  words: {stream: words}\n",
};

/** As the browser's, of this test alone. */
function storage(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage;
}

describe("a job that is duplicated", () => {
  let kept = storage();
  beforeEach(() => {
    kept = storage();
  });

  it("is the draft of a new job under another name, with its comments", () => {
    expect(hasDraft(kept, "ops.new-job")).toBe(false);
    expect(duplicateAsDraft(kept, "ops", JOB)).toBe("/jobs/new/text");
    expect(hasDraft(kept, "ops.new-job")).toBe(true);
    expect(kept.getItem("weir.draft.ops.new-job")).toBe(
      "format: 1\nname: counts-copy # per minute\nsources:\n  words: {stream: words}\n",
    );
  });

  it("is edited in the view in which the job was", () => {
    expect(duplicateAsDraft(kept, "ops", { ...JOB, edited_in: "drawing" })).toBe("/jobs/new/drawing");
  });
});

import { beforeEach, describe, expect, it } from "vitest";
import { AUTOMATIC } from "../../../composer/drawing/positions";
import { readPositions, writePositions } from "../../../composer/drawing/browser-positions";
import { readTypedSql, writeTypedSql } from "../../../composer/sql/typed-sql";
import { duplicateAsDraft, hasNewJobDraft } from "./duplicate-draft";

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
    expect(hasNewJobDraft(kept, "ops")).toBe(false);
    expect(duplicateAsDraft(kept, "ops", JOB)).toBe("/jobs/new/text");
    expect(hasNewJobDraft(kept, "ops")).toBe(true);
    expect(kept.getItem("weir.draft.ops.new-job")).toBe(
      "format: 1\nname: counts-copy # per minute\nsources:\n  words: {stream: words}\n",
    );
  });

  it("has the line ends of the editor, whatever wrote the document", () => {
    const document_text = JOB.document_text.replaceAll("\n", "\r\n");
    duplicateAsDraft(kept, "ops", { ...JOB, document_text });
    expect(kept.getItem("weir.draft.ops.new-job")).not.toContain("\r");
  });

  it("takes the place of SQL that can't be read yet, and of positions", () => {
    const start = { yaml: "", sql: "", name: "" };
    writeTypedSql(kept, "ops.new-job", { text: "SELECT", read: "", yaml: "", start, diverged: false });
    writePositions(kept, "ops.new-job", { right: { words: { x: 1, y: 2 } }, down: {} });
    expect(hasNewJobDraft(kept, "ops")).toBe(true);
    duplicateAsDraft(kept, "ops", JOB);
    expect(readTypedSql(kept, "ops.new-job")).toBeNull();
    expect(readPositions(kept, "ops.new-job")).toEqual(AUTOMATIC);
  });

  it("is edited in the view in which the job was", () => {
    expect(duplicateAsDraft(kept, "ops", { ...JOB, edited_in: "drawing" })).toBe("/jobs/new/drawing");
  });
});

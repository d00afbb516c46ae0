import { afterEach, expect, it, vi } from "vitest";
import type { Job, Version } from "../../../api/types";
import { writeDraft } from "../../../drafts/shared-draft";
import { renderedInWorkspace, storageIn } from "../../../testing/rendered";
import EditVersion from "./edit-version";

vi.mock("../../../composer/drawing/use-positions", () => ({ useJobPositions: () => null }));
vi.mock("../../../composer/composer", () => ({
  Composer: ({ text }: { text: string }) => <pre>{text}</pre>,
}));

const texts = new Map<string, string>();
const store = storageIn(texts);

const JOB = { id: "j1", name: "counts", version: 2, edited_in: "", desired: "stopped" } as unknown as Job;

function rendered(document_text: string): string {
  vi.stubGlobal("window", { localStorage: store, location: { search: "" } });
  const newest = { number: 2, document_text, created_by: null } as Version;
  return renderedInWorkspace(<EditVersion job={JOB} newest={newest} onDone={() => undefined} />);
}

afterEach(() => {
  vi.unstubAllGlobals();
  texts.clear();
});

it("says that a draft of the next version was restored", () => {
  expect(rendered("name: counts\n")).not.toContain("Draft restored");
  const original = { revision: 2, value: "name: counts\n", by: "" };
  writeDraft(store, "ops.job.j1", { original, value: "name: totals\n" });
  expect(rendered("name: counts\n")).toContain("Draft restored");
});

it("edits a document with the line ends that the editor has, and takes that for no change", () => {
  const page = rendered("name: counts\r\nformat: 1\r\n");
  expect(page).toContain("<pre>name: counts\nformat: 1\n</pre>");
  expect(page).not.toContain("Discard draft");
});

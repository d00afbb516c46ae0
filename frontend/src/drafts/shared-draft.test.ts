import { beforeEach, describe, expect, it } from "vitest";
import {
  draftOf,
  dropDraft,
  followed,
  isChanged,
  isOther,
  newerThan,
  readDraft,
  writeDraft,
  writtenSince,
  type Stored,
} from "./shared-draft";

const FIRST: Stored<string> = { revision: 1, value: "a: 1\n", by: "ann" };
const SECOND: Stored<string> = { revision: 2, value: "a: 2\n", by: "bob" };
const MINE = { original: FIRST, value: "a: 1\nb: 1\n" };

const kept = new Map<string, string>();
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
};
beforeEach(() => {
  kept.clear();
});

describe("a draft beside what others save", () => {
  it("stays as it was written, from what it was written from, and knows of the newer one", () => {
    expect(followed(MINE, SECOND)).toBe(MINE);
    expect(newerThan(MINE, SECOND)).toBe(SECOND);
    expect(newerThan(MINE, FIRST)).toBeNull();
  });

  it("follows what is saved as long as nothing was written", () => {
    expect(followed(draftOf(FIRST), SECOND)).toEqual(draftOf(SECOND));
    expect(followed(draftOf(FIRST), FIRST)).toEqual(draftOf(FIRST));
  });

  it("isn't taken back by an answer that is older than it", () => {
    expect(newerThan(draftOf(SECOND), FIRST)).toBeNull();
    expect(followed(draftOf(SECOND), FIRST)).toEqual(draftOf(SECOND));
  });
});

it("what is saved as it is drafted is no news: it may be the draft's own save", () => {
  const own = { ...SECOND, value: MINE.value };
  expect(followed(MINE, own)).toEqual(draftOf(own));
});

describe("a draft of which something was saved", () => {
  it("is done where nothing was written meanwhile", () => {
    expect(writtenSince(MINE, MINE.value, { ...SECOND, value: MINE.value })).toBeNull();
  });

  it("keeps what was written meanwhile, over what was saved: nobody else saved anything", () => {
    const saved = { ...SECOND, value: MINE.value };
    const rest = writtenSince({ ...MINE, value: "a: 1\nb: 12\n" }, MINE.value, saved);
    expect(rest).toEqual({ original: saved, value: "a: 1\nb: 12\n" });
    expect(rest && [isChanged(rest), newerThan(rest, saved)]).toEqual([true, null]);
  });
});

describe("a draft kept in this browser", () => {
  it("is found again with what it was written from, whatever was saved since", () => {
    writeDraft(storage, "ops.job.j1", MINE);
    expect(readDraft(storage, "ops.job.j1")).toEqual(MINE);
    expect(readDraft(storage, "ops.job.j2")).toBeNull();
  });

  it("is none once nothing of it differs, and once it is dropped", () => {
    writeDraft(storage, "ops.job.j1", MINE);
    writeDraft(storage, "ops.job.j1", draftOf(SECOND));
    expect(kept.size).toBe(0);
    writeDraft(storage, "ops.job.j1", MINE);
    dropDraft(storage, "ops.job.j1");
    expect(readDraft(storage, "ops.job.j1")).toBeNull();
  });

  it("is none where it can't be read", () => {
    for (const text of ["format: 1\n", '1:{"original":', ""]) {
      kept.set("weir.draft.ops.job.j1", text);
      expect(readDraft(storage, "ops.job.j1")).toBeNull();
    }
  });

  it("may be of any shape", () => {
    const original = { revision: 4, value: { name: "a", panels: [{ id: "p" }] }, by: "" };
    expect(isChanged({ original, value: { name: "a", panels: [{ id: "p" }] } })).toBe(false);
    expect(isChanged({ original, value: { name: "a", panels: [] } })).toBe(true);
    expect(isChanged({ original, value: { panels: [{ id: "p" }], name: "a" } })).toBe(false);
  });
});

describe("a draft that is open in two tabs", () => {
  function keptBy(value: string): string {
    const texts = new Map<string, string>();
    const store = { ...storage, setItem: (key: string, text: string) => void texts.set(key, text) };
    writeDraft(store, "a", { original: FIRST, value });
    return [...texts.values()].join("");
  }

  it("is another one only where the other tab's says something else", () => {
    expect(isOther(MINE, keptBy("a: 1\nc: 1\n"), FIRST)).toBe(true);
    expect(isOther(MINE, keptBy(MINE.value), FIRST)).toBe(false);
    expect(isOther(draftOf(FIRST), keptBy(MINE.value), FIRST), "it would be found after a reload").toBe(true);
  });

  it("is lost with a reload where the other tab has saved or discarded it", () => {
    expect(isOther(MINE, null, FIRST)).toBe(true);
    expect(isOther(draftOf(FIRST), null, FIRST)).toBe(false);
  });
});

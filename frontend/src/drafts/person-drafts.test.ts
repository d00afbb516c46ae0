import { beforeEach, expect, it } from "vitest";
import { keepDraftsOf } from "./person-drafts";

/** A browser's store, which there is none of here. */
class MemoryStore implements Storage {
  readonly texts = new Map<string, string>();
  [name: string]: unknown;

  get length(): number {
    return this.texts.size;
  }

  key(at: number): string | null {
    return [...this.texts.keys()][at] ?? null;
  }

  getItem(key: string): string | null {
    return this.texts.get(key) ?? null;
  }

  setItem(key: string, text: string): void {
    this.texts.set(key, text);
  }

  removeItem(key: string): void {
    this.texts.delete(key);
  }

  clear(): void {
    this.texts.clear();
  }
}

let store = new MemoryStore();
beforeEach(() => {
  store = new MemoryStore();
});

function drafts(): Record<string, string> {
  return Object.fromEntries([...store.texts].filter(([key]) => /^weir\.(draft|sql|drawing)\./.test(key)));
}

it("another person on the same browser finds no draft, and the first one theirs again", () => {
  keepDraftsOf(store, "ann");
  store.setItem("weir.draft.ops.new-job", "of ann");
  store.setItem("weir.sql.ops.new-job", "SELECT");
  store.setItem("weir.drawing.ops.new-job.right", "{}");
  keepDraftsOf(store, "bob");
  expect(drafts(), "where nodes are drawn is nobody's text").toEqual({
    "weir.drawing.ops.new-job.right": "{}",
  });
  store.setItem("weir.draft.ops.new-job", "of bob");
  keepDraftsOf(store, "ann");
  expect(drafts()).toEqual({
    "weir.draft.ops.new-job": "of ann",
    "weir.sql.ops.new-job": "SELECT",
    "weir.drawing.ops.new-job.right": "{}",
  });
  keepDraftsOf(store, "bob");
  expect(drafts()["weir.draft.ops.new-job"]).toBe("of bob");
});

it("drafts of before it was known whose they are stay with who signs in first", () => {
  store.setItem("weir.draft.ops.new-job", "text");
  keepDraftsOf(store, "ann");
  expect(drafts()).toEqual({ "weir.draft.ops.new-job": "text" });
});

it("a name that begins like another's is another person", () => {
  keepDraftsOf(store, "ann/x");
  store.setItem("weir.draft.a", "1");
  keepDraftsOf(store, "ann");
  expect(drafts()).toEqual({});
  keepDraftsOf(store, "ann/x");
  expect(drafts()).toEqual({ "weir.draft.a": "1" });
});

it("a browser without room lets the next person in all the same", () => {
  keepDraftsOf(store, "ann");
  store.setItem("weir.draft.a", "1");
  store.setItem = () => {
    throw new DOMException("no", "QuotaExceededError");
  };
  keepDraftsOf(store, "bob");
  expect(drafts(), "nobody else finds it").toEqual({});
});

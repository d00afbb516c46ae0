import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Frame } from "./frames";
import { GroupStore } from "./group-store";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SUBSCRIBED: Frame = { op: "subscribed", id: 1, channel: "groups", generation: null };

function group(name: string): Frame {
  return { op: "group", id: 1, cluster: "home", name, health: "fine" } as Frame;
}

function shown(store: GroupStore): string[] {
  vi.advanceTimersByTime(300);
  return [...store.get().keys()];
}

describe("consumer groups", () => {
  it("that went during a loss are gone when the others come again", () => {
    vi.setSystemTime(1_000);
    const store = new GroupStore(null, () => false);
    expect(store.getSubscribedAt()).toBeNull();
    store.apply(SUBSCRIBED);
    store.apply(group("stays"));
    store.apply(group("goes"));
    expect(shown(store)).toEqual(["home/stays", "home/goes"]);
    expect(store.getSubscribedAt()).toBe(1_000);
    vi.setSystemTime(9_000);
    store.apply(SUBSCRIBED);
    expect(shown(store)).toEqual(["home/stays", "home/goes"]);
    expect(store.getSubscribedAt()).toBeGreaterThanOrEqual(9_000);
    store.apply(group("stays"));
    expect(shown(store)).toEqual(["home/stays"]);
  });

  it("are not gone because the list is refused", () => {
    const store = new GroupStore(null, () => false);
    store.apply(group("stays"));
    store.apply({ op: "error", id: 1, code: "NOT_FOUND", message: "Not found." });
    expect(shown(store)).toEqual(["home/stays"]);
  });
});

describe("a group on a channel of its own", () => {
  const store = () => new GroupStore({ cluster: "home", name: "a/b" }, () => false);
  const frame = (of: GroupStore) => {
    vi.advanceTimersByTime(300);
    return of.get().get("home/a/b");
  };

  it("is deleted when it isn't found after a loss, and there again when it comes", () => {
    const one = store();
    one.apply(SUBSCRIBED);
    one.apply(group("a/b"));
    one.apply({ op: "error", id: 1, code: "NOT_FOUND", message: "Not found." });
    expect(frame(one)).toMatchObject({ deleted: true });
    one.apply(SUBSCRIBED);
    one.apply(group("a/b"));
    expect(frame(one)).toMatchObject({ health: "fine" });
  });

  it("is not deleted while it can't be read", () => {
    const one = store();
    one.apply(group("a/b"));
    one.apply({ op: "error", id: 1, code: "UNAVAILABLE", message: "Try again." });
    expect(frame(one)).toMatchObject({ health: "fine" });
  });
});

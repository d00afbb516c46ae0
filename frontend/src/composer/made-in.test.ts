import { expect, it } from "vitest";
import { rememberView, viewOfJob } from "./made-in";

it("editing opens in the view of last time, and in YAML where nothing is known", () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  expect(viewOfJob(storage, "demo.job.a")).toBe("text");
  rememberView(storage, "demo.job.a", "drawing");
  expect(viewOfJob(storage, "demo.job.a")).toBe("drawing");
  expect(viewOfJob(storage, "demo.job.b")).toBe("text");
  kept.set("weir.view.demo.job.b", "a view of tomorrow");
  expect(viewOfJob(storage, "demo.job.b")).toBe("text");
});

import { expect, it } from "vitest";
import { readThrough } from "./job-tests";

it("records are read scan by scan, until there are enough or none are left", async () => {
  const pages = [
    { records: [], next: "a" },
    { records: [1, 2], next: "b" },
    { records: [3], next: "c" },
  ];
  const asked: [number, string | null][] = [];
  const read = (limit: number, cursor: string | null) => {
    asked.push([limit, cursor]);
    return Promise.resolve(pages[asked.length - 1] ?? { records: [], next: null });
  };
  expect(await readThrough(read, 3)).toEqual({ records: [1, 2, 3], more: true });
  expect(asked).toEqual([
    [3, null],
    [3, "a"],
    [1, "b"],
  ]);
  expect(await readThrough(read, 3)).toEqual({ records: [], more: false });
});

it("a search that finds nothing ends, and says that there is more", async () => {
  const read = () => Promise.resolve({ records: [], next: "on" });
  expect(await readThrough(read, 3)).toEqual({ records: [], more: true });
});

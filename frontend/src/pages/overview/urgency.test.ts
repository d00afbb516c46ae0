import { expect, it } from "vitest";
import { byUrgency } from "./urgency";

it("what fails stands before what runs, and what runs before what is stopped", () => {
  const job = (name: string, observed: string, desired = "running", skipping: unknown[] = []) =>
    ({ name, observed, desired, skipping }) as unknown as Parameters<typeof byUrgency>[0][number];
  const jobs = [
    job("a", "stopped", "stopped"),
    job("b", "never_started", "stopped"),
    job("c", "running"),
    job("d", "failed"),
    job("e", "running", "running", [{}]),
    job("f", "stopped"),
    job("g", "starting"),
    job("h", "running"),
  ];
  expect(byUrgency(jobs).map(({ name }) => name)).toEqual(["d", "e", "f", "g", "c", "h", "a", "b"]);
});

import { describe, expect, it } from "vitest";
import { filterOf, withPart, withoutFilter } from "./audit-filter";

const parsed = (text: string) => filterOf(new URLSearchParams(text));

describe("the filter of the audit trail", () => {
  it.each([
    ["", {}],
    [
      "person=ann&action=started&type=job&object=stats",
      { actor: "ann", action: "started", kind: "job", object: "stats" },
    ],
    ["action=flown&type=constructor", {}],
    ["from=2026-11-24T01:00:00Z&to=never", { since: "2026-11-24T01:00:00.000Z" }],
    ["person=&object=", {}],
  ])("%s", (text, filter) => {
    expect(parsed(text)).toEqual(filter);
  });

  it("keeps what else is in the address", () => {
    const search = new URLSearchParams("tab=1&person=ann&to=x");
    expect(withPart(search, "object", "a b").toString()).toBe("tab=1&person=ann&to=x&object=a+b");
    expect(withPart(search, "person", null).toString()).toBe("tab=1&to=x");
    expect(withoutFilter(search).toString()).toBe("tab=1");
  });
});

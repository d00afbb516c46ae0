import { describe, expect, it } from "vitest";
import { changeOf, draftOf, keyText, needsKey } from "./receiver-draft";
import { receiver } from "./receiver-example";

const KNOWN = receiver({ has_key: true, enabled: false });

describe("the form of the receiver", () => {
  it("keeps the key, and whether anything is sent, unless it says otherwise", () => {
    expect(changeOf(draftOf(KNOWN), KNOWN)).toEqual({
      url: KNOWN.url,
      namespace: KNOWN.namespace,
      key: null,
      enabled: false,
    });
    expect(changeOf({ ...draftOf(KNOWN), key: "new" }, KNOWN).key).toBe("new");
    expect(changeOf({ ...draftOf(KNOWN), key: "new", removeKey: true }, KNOWN).key).toBe("");
  });

  it("sends a new receiver turned on, without blanks around", () => {
    const draft = { url: " https://a.example.com/x ", namespace: " ", key: "", removeKey: false };
    expect(changeOf(draft, null)).toEqual({
      url: "https://a.example.com/x",
      namespace: "",
      key: null,
      enabled: true,
    });
  });

  it.each([
    ["another path", "https://catalog.example.com/other", false],
    ["the default port", "https://catalog.example.com:443/api/v1/lineage", false],
    ["another host", "https://other.example.com/api/v1/lineage", true],
    ["another port", "https://catalog.example.com:8443/api/v1/lineage", true],
    ["no encryption", "http://catalog.example.com/api/v1/lineage", true],
  ])("asks for the key again where the host changed: %s", (_, url, needed) => {
    const draft = { ...draftOf(KNOWN), url };
    expect(needsKey(draft, KNOWN)).toBe(needed);
    expect(keyText(draft, KNOWN).startsWith("Enter it again")).toBe(needed);
    expect(needsKey({ ...draft, key: "again" }, KNOWN)).toBe(false);
    expect(needsKey({ ...draft, removeKey: true }, KNOWN)).toBe(false);
    expect(needsKey(draft, receiver({ has_key: false }))).toBe(false);
    expect(needsKey(draft, null)).toBe(false);
  });
});

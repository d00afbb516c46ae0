import { describe, expect, it } from "vitest";
import { deadLetterDraft, replacement } from "./dead-letter-draft";

const PLAIN = { fields: [{ name: "id", type: "long" }], key: ["id"] };
const FRAMED = { ...PLAIN, encoding: { format: "json", framing: "confluent" } };
const LETTER = {
  value: "AAAAAAd7fQ==",
  value_is_text: false,
  value_json: "{}",
  key: "AAE=",
  key_is_text: false,
  key_json: '{"id": 1}',
  headers: [
    { name: "a", value: "1", value_is_text: true },
    { name: "b", value: null, value_is_text: true },
  ],
};

describe("editing a dead letter", () => {
  it("begins with JSON where the server makes the bytes, and sends untouched bytes as they were", () => {
    const draft = deadLetterDraft(LETTER, FRAMED);
    expect(draft).toMatchObject({ value: "{}", valueAs: "json", key: '{"id": 1}', keyAs: "fields" });
    expect(replacement(draft, LETTER, FRAMED)).toEqual({
      value_base64: LETTER.value,
      key_base64: "AAE=",
      headers: [
        { name: "a", value: "1" },
        { name: "b", value: null },
      ],
    });
    expect(replacement({ ...draft, value: '{"id": 1}', key: "2" }, LETTER, FRAMED)).toMatchObject({
      value_json: '{"id": 1}',
      key_json: "2",
    });
  });

  it("keeps headers without a name, and leaves out a row that nobody filled in", () => {
    const nameless = {
      ...LETTER,
      headers: [
        { name: "", value: "1", value_is_text: true },
        { name: "", value: "", value_is_text: true },
      ],
    };
    const kept = [
      { name: "", value: "1" },
      { name: "", value: "" },
    ];
    expect(replacement(deadLetterDraft(nameless, FRAMED), nameless, FRAMED).headers).toEqual(kept);
    const draft = deadLetterDraft(LETTER, FRAMED);
    const added = { ...draft, headers: [...draft.headers, { name: "", value: "", as: "text" as const }] };
    expect(replacement(added, LETTER, FRAMED).headers).toHaveLength(LETTER.headers.length);
  });

  it("frames a text that lacked its frame", () => {
    const bare = { ...LETTER, value: '{"id":1}', value_is_text: true, value_json: null };
    const draft = deadLetterDraft(bare, FRAMED);
    expect(draft).toMatchObject({ value: '{"id":1}', valueAs: "json" });
    expect(replacement(draft, bare, FRAMED)).toMatchObject({ value_json: '{"id":1}' });
  });

  it("edits bytes that nothing can read, and gives a key where none was", () => {
    const unread = { ...LETTER, value_json: null, key: null, key_json: null };
    const draft = deadLetterDraft(unread, PLAIN);
    expect(draft).toMatchObject({ valueAs: "base64", keyAs: "null" });
    expect(replacement({ ...draft, keyAs: "fields", key: "7" }, unread, PLAIN)).toMatchObject({
      value_base64: LETTER.value,
      key_json: "7",
    });
    expect(
      replacement(deadLetterDraft({ ...unread, value: null }, PLAIN), { ...unread, value: null }, PLAIN),
    ).toMatchObject({ value: null });
  });
});

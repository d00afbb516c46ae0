import { expect, it } from "vitest";
import { utf8Text } from "./text-file";

it("a file is read as UTF-8, without its byte order mark", async () => {
  expect(await utf8Text(new Blob(["\u{feff}Zürich 🚆\n"]))).toBe("Zürich 🚆\n");
  expect(await utf8Text(new Blob([]))).toBe("");
});

it("a file that isn't UTF-8 has no text, rather than another one", async () => {
  const latin = new Uint8Array([0x5a, 0xfc, 0x72, 0x69, 0x63, 0x68]);
  const utf16 = new Uint8Array([0xff, 0xfe, 0x5a, 0x00]);
  for (const content of [latin, utf16]) expect(await utf8Text(new Blob([content]))).toBeNull();
});

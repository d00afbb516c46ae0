import { EditorState } from "@codemirror/state";
import { expect, it } from "vitest";
import { withLineFeeds } from "./line-ends";

it.each(["a: 1\nb: 2\n", "a: 1\r\nb: 2\r\n", "a: 1\rb: 2\r", "a\r\n\rb\n\n\r\n", ""])(
  "is what an editor holds of %j",
  (text) => {
    expect(withLineFeeds(text)).toBe(EditorState.create({ doc: text }).doc.toString());
  },
);

import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { storageIn } from "../testing/rendered";
import { useSharedDraft } from "./use-shared-draft";

const texts = new Map<string, string>();
const localStorage = storageIn(texts);

function Shown({ begun }: { begun?: string }) {
  const { value, restored } = useSharedDraft("test", { revision: 0, value: "", by: "" }, begun);
  return (
    <>
      {value}
      {restored && ", restored"}
    </>
  );
}

beforeEach(() => {
  vi.stubGlobal("window", { localStorage });
});
afterEach(() => {
  vi.unstubAllGlobals();
  texts.clear();
});

it("what was made for a new draft is found after a reload, before anything of it is changed", () => {
  expect(renderToStaticMarkup(<Shown begun="captured" />)).toBe("captured");
  expect(renderToStaticMarkup(<Shown />)).toBe("captured, restored");
});

it("a draft that was found is not replaced", () => {
  renderToStaticMarkup(<Shown begun="first" />);
  expect(renderToStaticMarkup(<Shown begun="second" />)).toBe("first, restored");
});

it("nothing is kept where nothing was begun", () => {
  expect(renderToStaticMarkup(<Shown />)).toBe("");
  expect(texts.size).toBe(0);
});

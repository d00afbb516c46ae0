import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { ReplaceDraft } from "./replace-draft";

// A dialog is drawn beside the page, where nothing is drawn as text.
vi.mock("../ui/confirm", () => ({ Confirm: ({ children }: { children: ReactNode }) => children }));

function asked(of?: string): string {
  const nothing = () => undefined;
  return renderToStaticMarkup(
    <ReplaceDraft opened {...(of && { of })} onConfirm={nothing} onClose={nothing} />,
  );
}

it("says whose copy takes the draft's place, where that has a name", () => {
  expect(asked("counts")).toContain("The copy of counts takes its place.");
  expect(asked()).toContain("The copy takes its place.");
});

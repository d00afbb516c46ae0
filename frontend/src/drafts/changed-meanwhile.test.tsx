import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { ChangedMeanwhile, savedText } from "./changed-meanwhile";
import type { Stored } from "./shared-draft";

const FIRST: Stored<string> = { revision: 1, value: "a", by: "ann" };

function rendered(newer: Stored<string> | null): string {
  const nothing = () => undefined;
  const draft = {
    value: "mine",
    setValue: nothing,
    original: FIRST,
    newer,
    changed: true,
    restored: false,
    isElsewhere: false,
    keepHere: nothing,
    keepMine: nothing,
    takeTheirs: nothing,
    saved: () => true,
    created: () => null,
    forget: nothing,
  };
  return renderToStaticMarkup(
    <MantineProvider>
      <ChangedMeanwhile draft={draft} what="version 2" textOf={String} />
    </MantineProvider>,
  );
}

it("says who saved what, and offers all that a person may want", () => {
  const page = rendered({ revision: 2, value: "b", by: "bob" });
  expect(page).toContain("Version 2 was saved meanwhile by bob");
  for (const choice of ["Compare", "Use saved version 2", "Keep my draft"]) expect(page).toContain(choice);
});

it("says nothing while nobody saved anything, and names nobody it doesn't know", () => {
  expect(rendered(null)).not.toContain("saved meanwhile");
  expect(savedText("dashboard", "")).toBe("Dashboard was saved meanwhile");
});

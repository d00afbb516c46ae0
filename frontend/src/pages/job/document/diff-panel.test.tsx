import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { DiffPanel } from "./diff-panel";

const DIFF = { outcome: "no_change" as const, changes: [], problems: [], note: "" };

function rendered(part: Partial<Parameters<typeof DiffPanel>[0]>): string {
  return renderToStaticMarkup(
    <MantineProvider>
      <DiffPanel changed diff={undefined} error={null} onRetry={() => undefined} running={false} {...part} />
    </MantineProvider>,
  );
}

it("a comparison that failed is told, and can be asked again", () => {
  const page = rendered({ error: new Error("down") });
  expect(page).toContain('role="alert"');
  expect(page).toContain("Try again");
  expect(page).not.toContain("once the document is valid");
});

it("what was compared stays when asking again fails", () => {
  const page = rendered({ diff: DIFF, error: new Error("down") });
  expect(page).toContain("No functional change");
  expect(page).not.toContain('role="alert"');
});

it("a document that isn't valid has no impact yet", () => {
  expect(rendered({})).toContain("Impact appears once the document is valid.");
});

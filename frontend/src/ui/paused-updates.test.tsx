import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { PausedUpdates } from "./paused-updates";

it("is said once there are older pages", () => {
  const said = (pages: number) =>
    renderToStaticMarkup(
      <MantineProvider>
        <PausedUpdates pages={pages} query={{ isRefetching: false, refetch: () => undefined }} />
      </MantineProvider>,
    );
  expect(said(2)).toContain("Not updated automatically");
  expect(said(1)).not.toContain("Not updated automatically");
});

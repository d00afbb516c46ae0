import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Banner } from "./connection-banner";

it("reads its words out once: what counts on stands beside them", () => {
  const page = renderToStaticMarkup(
    <MantineProvider>
      <Banner title="Connection lost" text="Data may be out of date.">
        <span>Lost 3 s ago</span>
      </Banner>
    </MantineProvider>,
  );
  const alert = /<span role="alert">(.*?)<\/span>\s*<span>Lost/.exec(page)?.[1] ?? "";
  expect(alert).toContain("Data may be out of date.");
  expect(alert).not.toContain("3 s ago");
});

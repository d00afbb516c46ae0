import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { StateBadge, overloadText } from "./status";

const FULL = { cores_used: 1.9, cores: 2 };

function words(state: string, overload: typeof FULL | null): string {
  const markup = renderToStaticMarkup(
    <MantineProvider>
      <StateBadge state={state} overload={overload} />
    </MantineProvider>,
  );
  return markup.replace(/<style.*?<\/style>/gs, "").replace(/<[^>]+>/g, "");
}

test("overload is said beside a state, and instead of one that is unknown because of it", () => {
  expect(words("running", null)).toBe("Running");
  expect(words("running", FULL)).toBe("Running, overloaded");
  expect(words("unknown", FULL)).toBe("Overloaded");
  expect(words("unknown", null)).toBe("Unknown");
});

test("overload has its numbers", () => {
  expect(overloadText(FULL)).toBe(
    "1.9 of 2 cores of the engine's host in use over 20 s. Everything on it is late.",
  );
});

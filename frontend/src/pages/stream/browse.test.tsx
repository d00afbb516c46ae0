import { afterEach, expect, it, vi } from "vitest";
import { renderedInWorkspace } from "../../testing/rendered";
import { Browse } from "./browse";

afterEach(() => {
  vi.unstubAllGlobals();
});

function exportButton(from: string, search: string): string {
  vi.stubGlobal("window", { location: { search } });
  const page = renderedInWorkspace(
    <Browse topicRef={{ cluster: "home", topic: "trades" }} partitions={1} fields={[]} from={from} />,
    { search },
  );
  return page.slice(page.lastIndexOf("<button", page.indexOf("Export")), page.indexOf("Export"));
}

it.each([
  ["time", "", true],
  ["time", "time=2026-01-31T10:00:00Z", false],
  ["offset", "", true],
  ["offset", "offset=5", false],
  ["newest", "", false],
])("exports from %s with %j: disabled is %s", (from, search, disabled) => {
  expect(exportButton(from, search)).toMatch(disabled ? /data-disabled/ : /^<button(?!.*data-disabled)/s);
});

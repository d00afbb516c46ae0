import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { Validation } from "../../../api/types";
import { ValidationHistory } from "./validation-history";

function shareOf(malformed: number, records: number): string {
  const history = [{ hour: "2026-01-01T10:00:00Z", records, malformed }];
  const validation = { counts: { by_reason: [] }, history } as unknown as Validation;
  const drawn = renderToStaticMarkup(
    <MantineProvider>
      <ValidationHistory validation={validation} />
    </MantineProvider>,
  );
  return [...drawn.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].at(-1)?.[1] ?? "";
}

it("says that all records are malformed only where all are", () => {
  expect(shareOf(999_999, 1_000_000)).toBe("&gt;99.9%");
  expect(shareOf(2, 2)).toBe("100%");
  expect(shareOf(0, 0)).toBe("–");
});

import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { ApiError } from "../api/api-error";
import { QueryPage, QueryResult } from "./query-result";

const DOWN = new ApiError(503, "Kafka is unreachable", "The cluster doesn't answer.");

interface Asked {
  data: string | undefined;
  error: unknown;
  dataUpdatedAt?: number;
  isFetchNextPageError?: boolean;
}

function rendered(asked: Asked, Shown: typeof QueryResult = QueryResult): string {
  const query = { refetch: () => undefined, ...asked };
  return renderToStaticMarkup(
    <MantineProvider>
      <Shown query={query} what="jobs">
        {(data) => <p>{data}</p>}
      </Shown>
    </MantineProvider>,
  );
}

describe("what a request gave", () => {
  it("is said to be old, and since when, where it couldn't be asked again", () => {
    for (const Shown of [QueryResult, QueryPage]) {
      const page = rendered({ data: "seven", error: DOWN, dataUpdatedAt: 1_767_268_800_000 }, Shown);
      expect(page).toContain("seven");
      expect(page).toContain("Couldn&#x27;t refresh jobs");
      expect(page).toContain("The cluster doesn&#x27;t answer.");
      expect(page).toContain('dateTime="2026-01-01T12:00:00.000Z"');
    }
  });

  it("is said not to be all, where a further page failed", () => {
    const page = rendered({ data: "seven", error: DOWN, isFetchNextPageError: true });
    expect(page).toContain("Couldn&#x27;t load more of jobs");
  });

  it("stands alone otherwise", () => {
    expect(rendered({ data: "seven", error: null })).not.toContain("role=");
    expect(rendered({ data: undefined, error: DOWN })).toContain("Couldn&#x27;t load jobs");
    expect(rendered({ data: undefined, error: null })).toContain("Loading jobs");
  });
});

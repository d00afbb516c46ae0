import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { PartitionLag } from "../../../api/types";
import { PartitionTable } from "./partition-table";

const CELL: PartitionLag = {
  partition: 0,
  committed: 5,
  fetched: null,
  end: 9_000_000,
  records: 8_999_995,
  seconds: 2,
};

function words(cell: PartitionLag): string {
  const source = { partitions: [cell], records: cell.records, seconds: null };
  return renderToStaticMarkup(
    <MantineProvider>
      <PartitionTable name="trades" source={source} realtime={false} />
    </MantineProvider>,
  );
}

test("a lag in time that is a lower bound is shown as one", () => {
  expect(words({ ...CELL, lower_bound: true })).toContain("&gt; 2 s");
  expect(words(CELL)).not.toContain("&gt; 2 s");
  expect(words(CELL)).toContain("2 s");
});

import { Button } from "@mantine/core";

interface PausedUpdatesProps {
  /** pages that are shown */
  pages: number;
  query: { isRefetching: boolean; refetch: () => unknown };
}

/** Says that a list with older pages isn't read again by itself (`whileOnePage`). */
export function PausedUpdates({ pages, query }: PausedUpdatesProps) {
  if (pages < 2) return null;
  return (
    <p
      style={{ display: "flex", alignItems: "center", gap: 8, padding: "8px 12px" }}
      className="soft"
      role="status"
    >
      Not updated automatically while older rows are shown.{" "}
      <Button
        size="compact-sm"
        variant="default"
        loading={query.isRefetching}
        onClick={() => {
          query.refetch();
        }}
      >
        Refresh
      </Button>
    </p>
  );
}

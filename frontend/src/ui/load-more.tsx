import { Button } from "@mantine/core";

interface LoadMoreProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** Reads the next page of a list that begins with the newest; nothing when that was all. */
export function LoadMore({ query }: LoadMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <div style={{ padding: 8, textAlign: "center" }}>
      <Button
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => {
          query.fetchNextPage();
        }}
      >
        Load more
      </Button>
    </div>
  );
}

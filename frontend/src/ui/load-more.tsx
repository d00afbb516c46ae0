import { Button } from "@mantine/core";

interface LoadMoreProps { query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }; what: string }

/** Reads the next page of a list that begins with the newest; nothing when that was all. */
export function LoadMore({ query, what }: LoadMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <div style={{ padding: 8, textAlign: "center" }}>
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => { query.fetchNextPage(); }}>Older {what}</Button>
    </div>
  );
}

import { Button } from "@mantine/core";
import { Icon } from "../../ui/icons";
import { Ago } from "../../ui/time";

interface RefreshProps {
  query: {
    data: { pages: readonly { readAt: string }[] } | undefined;
    isFetching: boolean;
    isFetchingNextPage: boolean;
    refetch: () => unknown;
  };
}

/** When what is shown was read, and the button that reads it anew: lists are kept while one is elsewhere. */
export function Refresh({ query: { data, isFetching, isFetchingNextPage, refetch } }: RefreshProps) {
  const readAt = data?.pages[0]?.readAt;
  return (
    <>
      <Button
        variant="subtle"
        loading={isFetching && !isFetchingNextPage}
        leftSection={<Icon name="refresh" size={14} />}
        onClick={() => void refetch()}
      >
        Refresh
      </Button>
      {readAt && (
        <span className="soft">
          updated <Ago at={readAt} />
        </span>
      )}
    </>
  );
}

import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ApiError } from "../api/client";
import { Empty, LoadError, Loading } from "./placeholders";
import { Badge } from "./status";
import { Time } from "./time";
import classes from "./placeholders.module.css";

interface QueryResultProps<T> {
  query: {
    data: T | undefined;
    error: unknown;
    refetch: () => unknown;
    /** epoch milliseconds of the data */
    dataUpdatedAt?: number;
    /** of a list in pages: it was a further page that failed */
    isFetchNextPageError?: boolean;
  };
  what: string;
  children: (data: T) => ReactNode;
}

/** As `Loaded`, for the main object of a page: its error or absence replaces the page. */
export function QueryPage<T>({ query, what, children }: QueryResultProps<T>) {
  if (query.data !== undefined)
    return (
      <>
        <NotRenewed query={query} what={what} />
        {children(query.data)}
      </>
    );
  const missing = query.error instanceof ApiError && query.error.status === 404;
  return (
    <main id="main" tabIndex={-1} style={{ outline: "none" }}>
      {missing ? (
        <Empty
          main
          title={`${what.charAt(0).toUpperCase()}${what.slice(1)} not found`}
          action={
            <Button component={Link} href="/" variant="default">
              Go to overview
            </Button>
          }
        >
          It may have been deleted, or you don't have access.
        </Empty>
      ) : (
        <QueryResult query={query} what={what}>
          {children}
        </QueryResult>
      )}
    </main>
  );
}

/**
 * Shows the data (the previous data while refetching, and with a word where that failed), a loading state or
 * the error.
 */
export function QueryResult<T>({ query, what, children }: QueryResultProps<T>) {
  if (query.data !== undefined)
    return (
      <>
        <NotRenewed query={query} what={what} />
        {children(query.data)}
      </>
    );
  if (query.error)
    return (
      <LoadError title={`Couldn't load ${what}`} error={query.error} onRetry={() => void query.refetch()} />
    );
  return <Loading title={`Loading ${what}…`} />;
}

/** Said above what is shown when asking again has failed: it is old, or not all. */
function NotRenewed({ query, what }: Omit<QueryResultProps<unknown>, "children">) {
  const { error, dataUpdatedAt, isFetchNextPageError } = query;
  if (!error) return null;
  return (
    <p role="status" className={classes["old"]}>
      <Badge tone="warn" plain>
        {isFetchNextPageError ? `Couldn't load more of ${what}` : `Couldn't refresh ${what}`}
      </Badge>{" "}
      {error instanceof ApiError ? error.message : "Unexpected response from the server."}
      {dataUpdatedAt !== undefined && dataUpdatedAt > 0 && (
        <>
          {" "}
          Shown as of <Time at={new Date(dataUpdatedAt)} />.
        </>
      )}
    </p>
  );
}

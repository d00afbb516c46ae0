import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ApiError } from "../api/client";
import { Empty, LoadError, Loading } from "./placeholders";

interface QueryResultProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  what: string;
  children: (data: T) => ReactNode;
}

/** As `Loaded`, for the main object of a page: its error or absence replaces the page. */
export function QueryPage<T>({ query, what, children }: QueryResultProps<T>) {
  if (query.data !== undefined) return children(query.data);
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

/** Shows the data (the previous data while refetching), a loading state or the error. */
export function QueryResult<T>({ query, what, children }: QueryResultProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error)
    return (
      <LoadError title={`Couldn't load ${what}`} error={query.error} onRetry={() => void query.refetch()} />
    );
  return <Loading title={`Loading ${what}…`} />;
}

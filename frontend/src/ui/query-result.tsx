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

/** As `Loaded`, for what a whole page hangs on: what is not there or fails is the page. */
export function QueryPage<T>({ query, what, children }: QueryResultProps<T>) {
  if (query.data !== undefined) return children(query.data);
  const missing = query.error instanceof ApiError && query.error.status === 404;
  return (
    <main id="main" tabIndex={-1} style={{ outline: "none" }}>
      {missing ? (
        <Empty main title={`There is no such ${what}`} action={<Button component={Link} href="/" variant="default">To the overview</Button>}>
          It may have been deleted, or belong to a workspace that you are no member of.
        </Empty>
      ) : (
        <QueryResult query={query} what={`the ${what}`}>{children}</QueryResult>
      )}
    </main>
  );
}

/** Shows the data, old data while it is asked again, or says what is waited for or what failed. */
export function QueryResult<T>({ query, what, children }: QueryResultProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <LoadError title={`Could not read ${what}`} error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading title={`Reading ${what}`} />;
}

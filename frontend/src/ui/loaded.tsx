import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failing, Waiting } from "./states";

interface LoadedProps<T> {
  query: Pick<UseQueryResult<T>, "data" | "error" | "isPending" | "refetch">;
  what: string;
  children: (data: T) => ReactNode;
}

/** Shows the data, old data while it is asked again, or says what is waited for or what failed. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failing title={`Could not read ${what}`} error={query.error} onRetry={() => void query.refetch()} />;
  return <Waiting title={`Reading ${what}`} />;
}

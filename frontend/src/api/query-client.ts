/** What the requests of all pages have in common: when they are sent again, and a session that ended. */

import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error";
import { keys } from "./query-keys";

const AGAIN_MS = 5_000;

/** The interval of a query that is read seldom, or once: it, too, is read again until something answers. */
export function orUntilAnswered(interval: number | false) {
  return (query: { state: { error: unknown } }): number | false => untilAnswered(query) || interval;
}

/** A query that nothing answered is asked until something does, as its message says. */
function untilAnswered({ state: { error } }: { state: { error: unknown } }): number | false {
  return error instanceof ApiError && error.status === 0 ? AGAIN_MS : false;
}

export function createQueryClient(): QueryClient {
  const askSession = (error: unknown) => {
    // A session that ended, or a role that somebody has changed.
    if (error instanceof ApiError && (error.status === 401 || error.code === "NOT_ALLOWED"))
      void client.invalidateQueries({ queryKey: keys.session });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: askSession }),
    mutationCache: new MutationCache({ onError: askSession }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && error instanceof ApiError && error.temporary,
        staleTime: 2_000,
        refetchInterval: untilAnswered,
        // Weir may be on this machine: a browser without a network reaches it, and else says that it can't.
        networkMode: "always",
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
  return client;
}

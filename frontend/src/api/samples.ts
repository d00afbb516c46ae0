/** What the newest records of a stream tell. Each answer reads records again. */

import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import { useWorkspace } from "./workspace-context";

const FRESH_MS = 30_000;

/** Values of a stream's fields. @param name empty: nothing is asked */
export function useStreamProfile(name: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.profile(slug, name),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/streams/{name}/profile", { params: { path: { slug, name } } }),
      ),
    enabled: name !== "",
    retry: false,
    staleTime: FRESH_MS,
  });
}

/** How far out of order the newest records come. */
export function useLateness(name: string, records: number) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.lateness(slug, name, records),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/streams/{name}/lateness", {
          params: { path: { slug, name }, query: { records } },
        }),
      ),
    retry: false,
    staleTime: FRESH_MS,
  });
}

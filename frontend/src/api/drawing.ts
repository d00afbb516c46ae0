import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import type { DrawingMoves } from "./types";
import { useWorkspace } from "./workspace-context";

/** Where people put the nodes of a job's drawing. */
export function useDrawing(id: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.drawing(slug, id),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workspaces/{slug}/jobs/{job_id}/drawing", {
          params: { path: { slug, job_id: id } },
        }),
      ),
  });
}

/** Moves nodes for everybody who sees the job; the request outlives the page. */
export function useMoveNodes(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (moves: DrawingMoves) =>
      unwrap(
        api.PATCH("/api/v1/workspaces/{slug}/jobs/{job_id}/drawing", {
          params: { path: { slug, job_id: id } },
          body: moves,
          keepalive: true,
        }),
      ),
    onSuccess: (positions) => {
      client.setQueryData(keys.drawing(slug, id), positions);
    },
  });
}

/** Previews: what each step of a document gives for records of its sources, before it is started. */

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import type { Preview, SourceChoice, WaitingPreview } from "./types";
import { useWorkspace } from "./workspace-context";

const WAITING_MS = 3_000;

/**
 * The preview of a document. Another document or choice gives up the preview before it, on the engine too.
 *
 * @param text the document
 * @param sources what each source gives
 * @param enabled false: nothing is asked
 * @returns the query; `readAgain` reads the sources anew, which otherwise stay as they were read
 */
export function usePreview(text: string, sources: Readonly<Record<string, SourceChoice>>, enabled: boolean) {
  const [reading, setReading] = useState(0);
  const { slug } = useWorkspace();
  const client = useQueryClient();
  const [page] = useState(newPage);
  const queryKey = keys.preview(slug, text, sources, page, reading);
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/documents/preview", {
          params: { path: { slug } },
          body: { document: text, sources, page, reading },
          signal,
        }),
      ),
    enabled,
    placeholderData: keepPreviousData,
    retry: false,
    refetchInterval: ({ state: { data } }) => (data && isWaiting(data) ? WAITING_MS : false),
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const end = useCallback(
    () =>
      unwrap(
        api.POST("/api/v1/workspaces/{slug}/documents/preview/cancel", {
          params: { path: { slug } },
          body: { page },
        }),
      ).catch(() => undefined), // it ends by itself
    [slug, page],
  );
  const cancel = () => {
    void client.cancelQueries({ queryKey });
    void end();
  };
  const isAsking = query.isFetching;
  useEffect(() => (isAsking && !enabled ? void end() : undefined), [isAsking, enabled, end]);
  const readAgain = () => {
    setReading((before) => before + 1);
  };
  return { ...query, cancel, readAgain };
}

/** Whether nothing was played, because an engine is still starting. */
export function isWaiting(preview: Preview | WaitingPreview): preview is WaitingPreview {
  return "waiting" in preview;
}

/** Names this page to the engines, which play the newest preview of a page only. */
function newPage(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

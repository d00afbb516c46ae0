import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, take } from "./client";
import { keys } from "./keys";
import type { EditedChoice, NewRedrive } from "./types";
import { useWorkspace } from "./workspace";

const EVERY = 3_000;

/** Some letters by id, all of a reason, or all; only such as wait. */
export type Choice = { letters: number[] } | { reason: string } | { all: true };

export function useGuard(stream: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.guard(slug, stream),
    queryFn: () => take(api.GET("/api/v1/workspaces/{slug}/streams/{name}/guard", { params: { path: { slug, name: stream } } })),
    refetchInterval: EVERY,
  });
}

export function useSwitchGuard(stream: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ on, from = "earliest" }: { on: boolean; from?: "earliest" | "now" }) => take(api.PUT("/api/v1/workspaces/{slug}/streams/{name}/guard", { params: { path: { slug, name: stream } }, body: { on, from } })),
    onSuccess: (guard) => { client.setQueryData(keys.guard(slug, stream), guard); },
    onError: () => client.invalidateQueries({ queryKey: keys.guard(slug, stream) }),
  });
}

export function useLetterGroups(stream: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.letterGroups(slug, stream),
    queryFn: () => take(api.GET("/api/v1/workspaces/{slug}/streams/{name}/dead-letters/groups", { params: { path: { slug, name: stream } } })),
    refetchInterval: EVERY,
  });
}

/** Letters of a reason, newest first. */
export function useLetters(stream: string, reason: string) {
  const { slug } = useWorkspace();
  return useInfiniteQuery({
    queryKey: keys.letters(slug, stream, reason),
    queryFn: ({ pageParam }) => take(api.GET("/api/v1/workspaces/{slug}/streams/{name}/dead-letters", { params: { path: { slug, name: stream }, query: { reason, ...(pageParam && { before: pageParam }) } } })),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    refetchInterval: EVERY,
  });
}

/** A letter with all of its bytes. */
export function useLetter(stream: string, id: number) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.letter(slug, stream, id),
    queryFn: () => take(api.GET("/api/v1/workspaces/{slug}/streams/{name}/dead-letters/{letter_id}", { params: { path: { slug, name: stream, letter_id: id } } })),
    retry: false,
  });
}

export function useRedrives(stream: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.redrives(slug, stream),
    queryFn: () => take(api.GET("/api/v1/workspaces/{slug}/streams/{name}/redrives", { params: { path: { slug, name: stream } } })),
    refetchInterval: ({ state }) => (state.data?.results.some((redrive) => redrive.state === "running") ? 1_000 : 10_000),
  });
}

function useLettersChanged(stream: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: [slug, "streams", stream, "letters"] }),
      client.invalidateQueries({ queryKey: keys.redrives(slug, stream) }),
      client.invalidateQueries({ queryKey: keys.guard(slug, stream) }),
    ]);
}

/** What an edit would make of the newest letters of a choice; nothing is sent. */
export function useEditPreview(stream: string) {
  const { slug } = useWorkspace();
  return useMutation({
    mutationFn: (body: EditedChoice) => take(api.POST("/api/v1/workspaces/{slug}/streams/{name}/dead-letters/preview", { params: { path: { slug, name: stream } }, body })),
  });
}

export function useRedrive(stream: string) {
  const { slug } = useWorkspace();
  const changed = useLettersChanged(stream);
  return useMutation({
    mutationFn: (body: NewRedrive) => take(api.POST("/api/v1/workspaces/{slug}/streams/{name}/redrives", { params: { path: { slug, name: stream } }, body })),
    onSuccess: changed,
  });
}

export function useCancelRedrive(stream: string) {
  const { slug } = useWorkspace();
  const changed = useLettersChanged(stream);
  return useMutation({
    mutationFn: (id: string) => take(api.POST("/api/v1/workspaces/{slug}/streams/{name}/redrives/{redrive_id}/cancel", { params: { path: { slug, name: stream, redrive_id: id } } })),
    onSuccess: changed,
  });
}

export function useDropLetters(stream: string) {
  const { slug } = useWorkspace();
  const changed = useLettersChanged(stream);
  return useMutation({
    mutationFn: (body: Choice & { why: string }) => take(api.POST("/api/v1/workspaces/{slug}/streams/{name}/dead-letters/drop", { params: { path: { slug, name: stream } }, body: { all: false, ...body } })),
    onSuccess: changed,
  });
}

import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { api, unwrap } from "./client";
import { keys } from "./query-keys";
import type { Invitation, Session, Token } from "./types";
import { forgetUploads } from "./uploads";
import { keepDraftsOf } from "../drafts/person-drafts";

/** Who was signed in last on this page. */
let person: string | null = null;

/** Somebody has signed in where a session had ended: another person sees nothing of the one before. */
export function takeOver(client: QueryClient, username: string, before = person): void {
  if (username === before) return;
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] });
  forgetUploads();
}

/** Who is signed in; `null` when nobody is. */
export function useSession() {
  const client = useQueryClient();
  return useQuery({
    queryKey: keys.session,
    queryFn: async (): Promise<Session | null> => {
      const session = (await unwrap<Session | undefined>(api.GET("/api/v1/session"))) ?? null;
      if (session) {
        // Somebody else may have signed in elsewhere, in the same browser.
        if (person !== null) takeOver(client, session.user.username);
        person = session.user.username;
        keepDraftsOf(window.localStorage, person);
      }
      return session;
    },
    staleTime: 60_000,
  });
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { username: string; password: string }) =>
      unwrap(api.POST("/api/v1/session", { body })),
    onSuccess: (_, { username }) => {
      takeOver(client, username);
      return client.invalidateQueries({ queryKey: keys.session });
    },
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE("/api/v1/session")),
    onSuccess: () => {
      client.clear();
      forgetUploads();
    },
  });
}

/** Answers an invitation of one's own. */
export function useAnswerInvitation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, accept }: { id: Invitation["id"]; accept: boolean }) => {
      const params = { params: { path: { invitation_id: id } } };
      await (accept
        ? unwrap(api.POST("/api/v1/invitations/{invitation_id}", params))
        : unwrap(api.DELETE("/api/v1/invitations/{invitation_id}", params)));
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.session }),
  });
}

export function useTokens() {
  return useQuery({ queryKey: keys.tokens, queryFn: () => unwrap(api.GET("/api/v1/tokens")) });
}

/** @returns the token with its text, which is shown once; `days` null never expires */
export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; days: number | null }) => unwrap(api.POST("/api/v1/tokens", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.tokens }),
  });
}

export function useDeleteToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: Token["id"]) =>
      unwrap(api.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.tokens }),
  });
}

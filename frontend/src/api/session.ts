import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, take } from "./client";
import { keys } from "./keys";
import type { Invitation, Session, Token } from "./types";

/** Who is signed in; `null` when nobody is. */
export function useSession() {
  return useQuery({
    queryKey: keys.session,
    queryFn: async (): Promise<Session | null> => (await take<Session | undefined>(api.GET("/api/v1/session"))) ?? null,
    staleTime: 60_000,
  });
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { username: string; password: string }) => take(api.POST("/api/v1/session", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.session }),
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => take(api.DELETE("/api/v1/session")),
    onSuccess: () => {
      client.clear();
    },
  });
}

/** Answers an invitation of one's own. */
export function useAnswerInvitation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, accept }: { id: Invitation["id"]; accept: boolean }) => {
      const params = { params: { path: { invitation_id: id } } };
      await (accept ? take(api.POST("/api/v1/invitations/{invitation_id}", params)) : take(api.DELETE("/api/v1/invitations/{invitation_id}", params)));
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.session }),
  });
}

export function useTokens() {
  return useQuery({ queryKey: keys.tokens, queryFn: () => take(api.GET("/api/v1/tokens")) });
}

/** @returns the token with its text, which is shown once; `days` null never expires */
export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; days: number | null }) => take(api.POST("/api/v1/tokens", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.tokens }),
  });
}

export function useDeleteToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: Token["id"]) => take(api.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.tokens }),
  });
}

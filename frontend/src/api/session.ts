import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, call } from "./client";
import { keys, paths } from "./paths";
import type { Page, Session, Token } from "./types";

/** Who is signed in; `null` when nobody is. */
export function useSession() {
  return useQuery({
    queryKey: keys.session,
    queryFn: async (): Promise<Session | null> => {
      try {
        return await call<Session>("GET", paths.session());
      } catch (error) {
        if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { username: string; password: string }) => call<Session>("POST", paths.session(), body),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.session }),
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call<null>("DELETE", paths.session()),
    onSuccess: () => {
      client.clear();
    },
  });
}

export function useTokens() {
  return useQuery({ queryKey: keys.tokens, queryFn: () => call<Page<Token>>("GET", paths.tokens()) });
}

export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => call<Token>("POST", paths.tokens(), { name }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.tokens }),
  });
}

export function useDeleteToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: Token["id"]) => call<null>("DELETE", paths.token(id)),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.tokens }),
  });
}

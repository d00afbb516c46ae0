/** Documents: checking while typing, versions, and what an edit would mean. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client";
import { keys, paths } from "./paths";
import type { Checked, Example, Functions, Job, Page, Verdict, Version } from "./types";
import { useWorkspace } from "./workspace";

/** What the server finds in this text; keeps the last answer while the next is on its way. */
export function useCheck(text: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.check(slug, text),
    queryFn: () => call<Checked>("POST", paths.check(slug), { document: text }),
    enabled: text.trim() !== "",
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
  });
}

export function useVersions(id: string) {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.versions(slug, id), queryFn: () => call<Page<Version>>("GET", paths.versions(slug, id)) });
}

/** Whether the edited text goes on with the state that is there. */
export function useVerdict(id: string, text: string, enabled: boolean) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.verdict(slug, id, text),
    queryFn: () => call<Verdict>("POST", paths.verdict(slug, id), { document: text }),
    enabled: enabled && text.trim() !== "",
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
}

export interface NewVersion {
  document: string;
  note: string;
  expected?: "same" | "new_generation";
}

export function useAddVersion(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewVersion) => call<Version>("POST", paths.versions(slug, id), body),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.job(slug, id) }),
  });
}

export function useExamples() {
  return useQuery({ queryKey: keys.examples, queryFn: () => call<Page<Example>>("GET", paths.examples()), staleTime: 60_000 });
}

export function useInstallExample() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call<Job>("POST", paths.example(slug, id), {}),
    onSuccess: () => client.invalidateQueries({ queryKey: [slug] }),
  });
}

export function useFunctions() {
  return useQuery({ queryKey: keys.functions, queryFn: () => call<Functions>("GET", paths.functions()), staleTime: Infinity });
}

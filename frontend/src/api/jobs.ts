import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client";
import { keys, paths } from "./paths";
import type { HistoryPoint, Job, JobLag, Page, Run, StartRequest } from "./types";
import { useWorkspace } from "./workspace";

export function useJobs() {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.jobs(slug), queryFn: () => call<Page<Job>>("GET", paths.jobs(slug)), refetchInterval: 10_000 });
}

export function useJob(id: string) {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.job(slug, id), queryFn: () => call<Job>("GET", paths.job(slug, id)), refetchInterval: 5_000 });
}

export function useRuns(id: string) {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.runs(slug, id), queryFn: () => call<Page<Run>>("GET", paths.runs(slug, id)), refetchInterval: 10_000 });
}

export function useLag(id: string) {
  const { slug } = useWorkspace();
  return useQuery({ queryKey: keys.lag(slug, id), queryFn: () => call<JobLag>("GET", paths.lag(slug, id)), refetchInterval: 10_000 });
}

export function useHistory(id: string, minutes = 60) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.history(slug, id, minutes),
    queryFn: () => call<{ points: HistoryPoint[] }>("GET", paths.history(slug, id, minutes)),
    refetchInterval: 5_000,
  });
}

/** Creates a job and, when asked, starts it from now. A job that was created but could not be started is there all the same. */
export function useCreateJob() {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ document, start }: { document: string; start: boolean }) => {
      const job = await call<Job>("POST", paths.jobs(slug), { document });
      if (start) await call<Job>("POST", paths.start(slug, job.id), { from: "now" } satisfies StartRequest);
      return job;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.jobs(slug) }),
  });
}

export function useStartJob(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: StartRequest) => call<Job>("POST", paths.start(slug, id), body),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.job(slug, id) }),
  });
}

export function useStopJob(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call<Job>("POST", paths.stop(slug, id), {}),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.job(slug, id) }),
  });
}

export function useDeleteJob(id: string) {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call<null>("DELETE", paths.job(slug, id)),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.jobs(slug), exact: true }),
  });
}

import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect } from "react";
import type { AlertsFrame } from "../live/frames";
import { alertsShown } from "./alerts-shown";
import { isOutdated } from "./api-error";
import { api, unwrap } from "./client";
import { keys, type AlertFilter } from "./query-keys";
import type { Alert, AlertChannelKind, AlertRuleDocument, AlertSeverity, Notification } from "./types";
import { useWorkspace } from "./workspace-context";

const NEWEST: { before?: string } = {};
const BASE = "/api/v1/workspaces/{slug}";

function useCall() {
  const { slug } = useWorkspace();
  return { slug, path: { slug }, client: useQueryClient() };
}

/** Reads the lists of alerts again whenever what they show has changed. */
export function useAlertsKeptFresh(frame: AlertsFrame | null) {
  const { slug, client } = useCall();
  const shown = frame && alertsShown(frame);
  useEffect(() => {
    if (shown !== null) void client.invalidateQueries({ queryKey: keys.alerts(slug) });
  }, [client, slug, shown]);
}

/** Alerts, the newest first. */
export function useAlerts(filter: AlertFilter) {
  const { slug, path } = useCall();
  return useInfiniteQuery({
    queryKey: keys.alertList(slug, filter),
    queryFn: ({ pageParam }) =>
      unwrap(api.GET(`${BASE}/alerts`, { params: { path, query: { ...filter, ...pageParam } } })),
    initialPageParam: NEWEST,
    getNextPageParam: ({ next }) => (next ? { before: next } : undefined),
    select: ({ pages }) => ({ results: pages.flatMap(({ results }): Alert[] => results) }),
    placeholderData: keepPreviousData,
  });
}

export function useAlert(id: string) {
  const { slug, path } = useCall();
  return useQuery({
    queryKey: keys.alert(slug, id),
    queryFn: () =>
      unwrap(api.GET(`${BASE}/alerts/{alert_id}`, { params: { path: { ...path, alert_id: id } } })),
  });
}

export function useAlertsSeen() {
  const { slug, path } = useCall();
  return useQuery({
    queryKey: keys.alertsSeen(slug),
    queryFn: () => unwrap(api.GET(`${BASE}/alerts/seen`, { params: { path } })),
    staleTime: 60_000,
  });
}

export function useMarkAlertsSeen() {
  const { slug, path, client } = useCall();
  return useMutation({
    /** @param until when the newest of those fired that were looked at */
    mutationFn: (until: string) =>
      unwrap(api.PUT(`${BASE}/alerts/seen`, { params: { path }, body: { until } })),
    onSuccess: (seen) => {
      client.setQueryData(keys.alertsSeen(slug), seen);
    },
  });
}

export function useAcknowledge() {
  const { slug, path, client } = useCall();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.POST(`${BASE}/alerts/{alert_id}/acknowledge`, { params: { path: { ...path, alert_id: id } } }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.alerts(slug) }),
  });
}

export function useAlertRules() {
  const { slug, path } = useCall();
  return useQuery({
    queryKey: keys.alertRules(slug),
    queryFn: () => unwrap(api.GET(`${BASE}/alert-rules`, { params: { path } })),
  });
}

export function useAlertMetrics() {
  const { slug, path } = useCall();
  return useQuery({
    queryKey: keys.alertMetrics(slug),
    queryFn: () => unwrap(api.GET(`${BASE}/alert-metrics`, { params: { path } })),
    staleTime: Infinity,
  });
}

/** The problems of a rule while it is written, or how often it would have fired. */
export function useRuleCheck(document: AlertRuleDocument) {
  const { slug, path } = useCall();
  return useQuery({
    queryKey: keys.alertRuleCheck(slug, JSON.stringify(document)),
    queryFn: () => unwrap(api.POST(`${BASE}/alert-rules/check`, { params: { path }, body: { document } })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

export interface RuleForm {
  name: string;
  document: AlertRuleDocument;
  enabled: boolean;
}

/** Creates a rule, or changes the one with this id on the revision that was read. */
export function useSaveRule() {
  const { slug, path, client } = useCall();
  return useMutation({
    mutationFn: ({ id, revision, ...body }: RuleForm & { id?: string; revision?: number }) =>
      id === undefined || revision === undefined
        ? unwrap(api.POST(`${BASE}/alert-rules`, { params: { path }, body }))
        : unwrap(
            api.PUT(`${BASE}/alert-rules/{rule_id}`, {
              params: { path: { ...path, rule_id: id } },
              body: { ...body, revision },
            }),
          ),
    onError: (error) => {
      if (isOutdated(error)) void client.invalidateQueries({ queryKey: keys.alertRules(slug) });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.alerts(slug) }),
  });
}

export function useDeleteRule() {
  const { slug, path, client } = useCall();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE(`${BASE}/alert-rules/{rule_id}`, { params: { path: { ...path, rule_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.alerts(slug) }),
  });
}

export function useAlertChannels() {
  const { slug, path } = useCall();
  return useQuery({
    queryKey: keys.alertChannels(slug),
    queryFn: () => unwrap(api.GET(`${BASE}/alert-channels`, { params: { path } })),
  });
}

export function useCreateChannel() {
  const { slug, path, client } = useCall();
  return useMutation({
    mutationFn: (body: {
      name: string;
      kind: AlertChannelKind;
      address: string;
      least_severity: AlertSeverity;
    }) => unwrap(api.POST(`${BASE}/alert-channels`, { params: { path }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.alertChannels(slug) }),
  });
}

export function useChangeChannel() {
  const { slug, path, client } = useCall();
  return useMutation({
    mutationFn: ({
      id,
      ...body
    }: {
      id: string;
      name: string;
      least_severity: AlertSeverity;
      enabled: boolean;
      revision: number;
    }) =>
      unwrap(
        api.PUT(`${BASE}/alert-channels/{channel_id}`, {
          params: { path: { ...path, channel_id: id } },
          body,
        }),
      ),
    // Also where it was refused: somebody else has changed it, and their change is shown.
    onSettled: () => client.invalidateQueries({ queryKey: keys.alertChannels(slug) }),
  });
}

export function useDeleteChannel() {
  const { slug, path, client } = useCall();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.DELETE(`${BASE}/alert-channels/{channel_id}`, { params: { path: { ...path, channel_id: id } } }),
      ),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.notifications(slug) });
      return client.invalidateQueries({ queryKey: keys.alertChannels(slug) });
    },
  });
}

/** Sends a test message; the delivery log says what came of it. */
export function useTestChannel() {
  const { slug, path, client } = useCall();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.POST(`${BASE}/alert-channels/{channel_id}/test`, {
          params: { path: { ...path, channel_id: id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.notifications(slug) }),
  });
}

const UNDER_WAY: readonly Notification["state"][] = ["waiting", "sending"];

/** The delivery log, the newest first; read again while something is under way. */
export function useNotifications() {
  const { slug, path } = useCall();
  return useInfiniteQuery({
    queryKey: keys.notifications(slug),
    queryFn: ({ pageParam }) =>
      unwrap(api.GET(`${BASE}/notifications`, { params: { path, query: pageParam } })),
    initialPageParam: NEWEST,
    getNextPageParam: ({ next }) => (next ? { before: next } : undefined),
    select: ({ pages }) => ({ results: pages.flatMap(({ results }): Notification[] => results) }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ results }) => results.some((one) => UNDER_WAY.includes(one.state)))
        ? 2_000
        : 30_000,
  });
}

export function useSilences() {
  const { slug, path } = useCall();
  return useQuery({
    queryKey: keys.silences(slug),
    queryFn: () => unwrap(api.GET(`${BASE}/silences`, { params: { path } })),
    refetchInterval: 30_000,
  });
}

export interface SilenceForm {
  rule_id?: string;
  job_id?: string;
  alert_id?: string;
  /** ISO texts; without a beginning: now */
  starts_at?: string;
  ends_at: string;
  note: string;
}

export function useCreateSilence() {
  const { slug, path, client } = useCall();
  return useMutation({
    mutationFn: (body: SilenceForm) => unwrap(api.POST(`${BASE}/silences`, { params: { path }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.alerts(slug) }),
  });
}

export function useEndSilence() {
  const { slug, path, client } = useCall();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE(`${BASE}/silences/{silence_id}`, { params: { path: { ...path, silence_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.alerts(slug) }),
  });
}

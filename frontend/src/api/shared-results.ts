/** Results that several panels of a page share, as hooks. */

import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { ResultStore, type ResultView } from "../live/result-store";
import { SharedResults } from "../live/shared-results";
import { SteadyView } from "../live/steady-view";
import { useSocket } from "./live";

export const SharedResultsContext = createContext<SharedResults | null>(null);

/** One for a page; its subscriptions end with the panels that asked for them. */
export function useResultSharing(workspace: string): SharedResults {
  const socket = useSocket();
  const [shared] = useState(() => new SharedResults(socket, workspace));
  useEffect(() => {
    const wake = () => {
      if (!document.hidden) shared.wake();
    };
    document.addEventListener("visibilitychange", wake);
    return () => {
      document.removeEventListener("visibilitychange", wake);
    };
  }, [shared]);
  return shared;
}

const NOTHING = new ResultStore();

/**
 * The rows of a job. Give the component the job's ID as key.
 *
 * @param intervalMs milliseconds between two changes of what is returned, at least; 0: as the rows change
 */
export function useSharedResult(job: string, intervalMs: number): ResultView {
  const shared = useContext(SharedResultsContext);
  if (!shared) throw new Error("useSharedResult outside a dashboard");
  const [store, setStore] = useState(NOTHING);
  useEffect(() => {
    const followed = shared.follow(job);
    // eslint-disable-next-line react-hooks/set-state-in-effect -- a subscription starts in an effect
    setStore(followed.store);
    return followed.close;
  }, [shared, job]);
  const source = useMemo(
    () => (intervalMs > 0 ? new SteadyView(store, intervalMs) : store),
    [store, intervalMs],
  );
  return useSyncExternalStore(source.onView, source.getView);
}

/** Reads the rows of a job that a panel follows, without following changes: for the choices of a filter. */
export function useReadRows(): (job: string) => ResultView["rows"] {
  const shared = useContext(SharedResultsContext);
  return (job) => shared?.rows(job) ?? [];
}

/** Results of several jobs: one subscription per job, however many panels show it. No React. */

import { ResultStore, type CachedRow } from "./result-store";
import type { LiveSocket, Subscription } from "./socket";

interface Followed {
  store: ResultStore;
  subscription: Subscription;
  readers: number;
}

export class SharedResults {
  private readonly jobs = new Map<string, Followed>();

  /** @param workspace slug that the jobs belong to; empty on a connection of a link */
  constructor(
    private readonly socket: LiveSocket,
    private readonly workspace: string,
  ) {}

  /** The rows of a job, followed until `close` was called as often as this. */
  follow(job: string): { store: ResultStore; close: () => void } {
    const followed = this.jobs.get(job) ?? this.start(job);
    followed.readers += 1;
    let open = true;
    return {
      store: followed.store,
      close: () => {
        if (!open) return;
        open = false;
        followed.readers -= 1;
        if (!followed.readers) this.stop(job, followed);
      },
    };
  }

  /** The rows of a job as they are, where somebody follows it; nothing is asked. */
  rows(job: string): readonly CachedRow[] {
    return this.jobs.get(job)?.store.view.rows ?? [];
  }

  /** The tab is seen again: draws what changed meanwhile. */
  wake(): void {
    for (const { store } of this.jobs.values()) store.throttle.wake();
  }

  private start(job: string): Followed {
    const store = new ResultStore();
    store.throttle.aligned = true;
    const subscription = this.socket.subscribe(`results/${job}`, this.workspace, store.apply);
    const followed = { store, subscription, readers: 0 };
    this.jobs.set(job, followed);
    return followed;
  }

  private stop(job: string, followed: Followed): void {
    this.jobs.delete(job);
    followed.subscription.close();
    followed.store.stop();
  }
}

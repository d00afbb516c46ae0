/** Consumer groups, and how current they are, as their channels say. No React. */

import type { Frame, GroupFrame, WatchFrame } from "./frames";
import { LatestStore } from "./latest-store";

export type GroupsFrame = GroupFrame | WatchFrame;

interface GroupRef {
  cluster: string;
  name: string;
}

/** The name that a group's newest frame has in the store. */
export function groupKey({ cluster, name }: GroupRef): string {
  return `${cluster}/${name}`;
}

export class GroupStore extends LatestStore<GroupsFrame> {
  private subscribedAt: number | null = null;

  /** @param one the group of a channel of its own; null: the channel has all of them */
  constructor(
    private readonly one: GroupRef | null,
    hidden?: () => boolean,
  ) {
    super(hidden);
  }

  /** Since when a frame comes of every group that goes, in epoch milliseconds; null: not yet. */
  readonly getSubscribedAt = (): number | null => this.subscribedAt;

  readonly apply = (frame: Frame): void => {
    switch (frame.op) {
      case "subscribed":
        // Groups that went meanwhile are not sent, and nothing else says that they did.
        this.renew();
        this.subscribedAt = Date.now();
        this.throttle.request();
        break;
      case "group":
        this.put(groupKey(frame), frame);
        break;
      case "watch":
        this.put(`watch ${frame.cluster}`, frame);
        break;
      case "error":
        // After a reconnect this is all that is said of a group that went meanwhile.
        if (this.one && frame.code === "NOT_FOUND")
          this.put(groupKey(this.one), { op: "group", id: frame.id ?? 0, ...this.one, deleted: true });
        break;
      default:
    }
  };
}

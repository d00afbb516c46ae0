import { Badge } from "./status";

/** @param reachable null until the first check */
export function BrokerBadge({ reachable }: { reachable: boolean | null }) {
  if (reachable === null)
    return (
      <Badge tone="warn" plain>
        Not checked yet
      </Badge>
    );
  return reachable ? (
    <Badge tone="good" plain>
      Reachable
    </Badge>
  ) : (
    <Badge tone="bad" plain>
      Unreachable
    </Badge>
  );
}

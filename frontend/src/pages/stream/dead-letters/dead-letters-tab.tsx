import { useGuard } from "../../../api/guards";
import type { Stream } from "../../../api/types";
import { Loaded } from "../../../ui/loaded";
import { GuardPanel } from "./guard-panel";
import { LetterGroups } from "./letter-groups";
import { Redrives } from "./redrives";

/** The guard of a stream, what it counted, and the malformed records that it kept. */
export function DeadLettersTab({ stream }: { stream: Stream }) {
  const guard = useGuard(stream.name);
  return (
    <Loaded query={guard} what="the guard">
      {(found) => (
        <>
          <GuardPanel stream={stream} guard={found} />
          <Redrives stream={stream} />
          <LetterGroups stream={stream} guard={found} />
        </>
      )}
    </Loaded>
  );
}

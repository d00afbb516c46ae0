import { useValidation } from "../../../api/dead-letters";
import type { Stream } from "../../../api/types";
import { QueryResult } from "../../../ui/query-result";
import { ValidationPanel } from "./validation-panel";
import { DeadLetterGroups } from "./dead-letter-groups";
import { DeadLetterForms } from "./open-form";
import { Redrives } from "./redrives";

/** Contract validation of a stream: its state, its counts and its dead letters. */
export function DeadLettersTab({ stream }: { stream: Stream }) {
  const validation = useValidation(stream.name);
  return (
    <DeadLetterForms stream={stream}>
      <QueryResult query={validation} what="contract validation">
        {(found) => (
          <>
            <ValidationPanel stream={stream} validation={found} />
            <Redrives stream={stream} />
            <DeadLetterGroups stream={stream} validation={found} />
          </>
        )}
      </QueryResult>
    </DeadLetterForms>
  );
}

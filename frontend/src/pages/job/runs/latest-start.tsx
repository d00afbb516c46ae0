import type { Run } from "../../../api/types";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { duration } from "../../../ui/format/durations";
import { Panel } from "../../../ui/page";
import { Time } from "../../../ui/time";
import { startPhases, type ReachedPhase } from "./start-phases";

/** How long each phase of a start took. Times count from the interruption before it, or from the request. */
export function LatestStart({ run }: { run: Run }) {
  return (
    <Panel
      title="Latest start"
      aside={
        <span className="soft">
          {run.interrupted_at ? "Engine ended at " : "Requested at "}
          <Time at={run.interrupted_at ?? run.started_at} />
        </span>
      }
    >
      <DescriptionList>
        {startPhases(run).map((each) => (
          <DescriptionItem key={each.phase} label={each.label} note={<Note {...each} run={run} />}>
            {each.atMs === null ? "–" : <span title={each.meaning}>after {duration(each.atMs)}</span>}
          </DescriptionItem>
        ))}
      </DescriptionList>
    </Panel>
  );
}

function Note({ phase, atMs, tookMs, passed, run }: ReachedPhase & { run: Run }) {
  if (atMs === null) return <>{passed ? "Not reported" : run.ended_at ? "Not reached" : "Not reached yet"}</>;
  if (phase === "first_batch" && run.state_load_ms !== null)
    return <>state loaded in {duration(run.state_load_ms)}, all partitions together</>;
  return <>+{duration(tookMs)}</>;
}

import type { JobDiff } from "../../../api/types";
import { Panel } from "../../../ui/page";
import { Badge } from "../../../ui/status";
import { Changes } from "../changes";

interface DiffPanelProps { changed: boolean; diff: JobDiff | undefined; running: boolean }

/** What saving would mean, before it happens. */
export function DiffPanel({ changed, diff, running }: DiffPanelProps) {
  if (!changed) return <p className="soft">Nothing is changed yet.</p>;
  if (!diff) return <p className="soft" role="status">What this edit means is worked out when the document has no problems and the typing stops.</p>;
  return (
    <Panel title={<Headline verdict={diff.verdict} />}>
      {diff.changes.length > 0 && <Changes changes={diff.changes} />}
      {diff.verdict === "new_generation" && (
        <p style={{ marginTop: 8 }}>
          The stored state would mean something else, so the results begin anew: the next start asks from where.
          {running && " What runs now goes on until then."}
        </p>
      )}
      {diff.verdict === "same_state" && <p style={{ marginTop: 8 }} className="soft">The job goes on with the state it has.</p>}
    </Panel>
  );
}

function Headline({ verdict }: { verdict: JobDiff["verdict"] }) {
  switch (verdict) {
    case "same_state":
      return <Badge tone="good" plain>Keeps its state</Badge>;
    case "new_generation":
      return <Badge tone="warn" plain>Needs a fresh state</Badge>;
    case "illegal":
      return <Badge tone="bad" plain>Cannot be saved</Badge>;
    case "no_change":
      return <Badge tone="idle" plain>Computes the same as before</Badge>;
  }
}

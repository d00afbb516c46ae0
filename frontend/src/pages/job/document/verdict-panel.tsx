import type { Verdict } from "../../../api/types";
import { Panel } from "../../../ui/page";
import { Mark } from "../../../ui/status";
import { Changes } from "../changes";

interface VerdictPanelProps { changed: boolean; judged: Verdict | undefined; running: boolean }

/** What saving would mean, before it happens. */
export function VerdictPanel({ changed, judged, running }: VerdictPanelProps) {
  if (!changed) return <p className="soft">Nothing is changed yet.</p>;
  if (!judged) return <p className="soft" role="status">What this edit means is worked out when the document has no problems and the typing stops.</p>;
  return (
    <Panel title={<Headline verdict={judged.verdict} />}>
      {judged.changes.length > 0 && <Changes changes={judged.changes} />}
      {judged.verdict === "new_generation" && (
        <p style={{ marginTop: 8 }}>
          The stored state would mean something else, so the results begin anew: the next start asks from where.
          {running && " What runs now goes on until then."}
        </p>
      )}
      {judged.verdict === "same_state" && <p style={{ marginTop: 8 }} className="soft">The job goes on with the state it has.</p>}
    </Panel>
  );
}

function Headline({ verdict }: { verdict: Verdict["verdict"] }) {
  switch (verdict) {
    case "same_state":
      return <Mark tone="good" plain>Keeps its state</Mark>;
    case "new_generation":
      return <Mark tone="warn" plain>Needs a fresh state</Mark>;
    case "illegal":
      return <Mark tone="bad" plain>Cannot be saved</Mark>;
    case "no_change":
      return <Mark tone="idle" plain>Computes the same as before</Mark>;
  }
}

import type { JobDiff } from "../../../api/types";
import { Panel } from "../../../ui/page";
import { Badge } from "../../../ui/status";
import { Changes } from "../changes";

interface DiffPanelProps {
  changed: boolean;
  diff: JobDiff | undefined;
  running: boolean;
}

/** What saving would mean, before it happens. */
export function DiffPanel({ changed, diff, running }: DiffPanelProps) {
  if (!changed) return <p className="soft">No changes yet.</p>;
  if (!diff)
    return (
      <p className="soft" role="status">
        Impact appears once the document is valid.
      </p>
    );
  const isSilent = !diff.changes.length && !["new_generation", "same_state"].includes(diff.outcome);
  if (isSilent)
    return (
      <Panel>
        <Headline outcome={diff.outcome} />
      </Panel>
    );
  return (
    <Panel title={<Headline outcome={diff.outcome} />}>
      {diff.changes.length > 0 && <Changes changes={diff.changes} />}
      {diff.outcome === "new_generation" && (
        <p style={{ marginTop: 8 }}>
          Incompatible with the saved state: the next start resets state and results.
          {running && " The running version isn't affected."}
        </p>
      )}
      {diff.outcome === "same_state" && (
        <p style={{ marginTop: 8 }} className="soft">
          The job continues with its saved state. {diff.note}
        </p>
      )}
    </Panel>
  );
}

function Headline({ outcome }: { outcome: JobDiff["outcome"] }) {
  switch (outcome) {
    case "same_state":
      return (
        <Badge tone="good" plain>
          State kept
        </Badge>
      );
    case "new_generation":
      return (
        <Badge tone="warn" plain>
          State reset required
        </Badge>
      );
    case "invalid":
      return (
        <Badge tone="bad" plain>
          Can't be saved
        </Badge>
      );
    case "no_change":
      return (
        <Badge tone="idle" plain>
          No functional change
        </Badge>
      );
  }
}

import type { JobDiff } from "../../../api/types";
import { Panel } from "../../../ui/page";
import { LoadError } from "../../../ui/placeholders";
import { Badge } from "../../../ui/status";
import { Changes } from "../changes";

interface DiffPanelProps {
  changed: boolean;
  diff: JobDiff | undefined;
  /** why there is no `diff`, where asking for it failed */
  error: unknown;
  onRetry: () => void;
  running: boolean;
}

/** What saving would mean, before it happens. */
export function DiffPanel({ changed, diff, error, onRetry, running }: DiffPanelProps) {
  if (!changed) return <p className="soft">No changes yet.</p>;
  if (!diff && error)
    return (
      <LoadError
        title="Couldn't check the impact"
        error={error}
        onRetry={onRetry}
        still="Your draft stays in this browser."
      />
    );
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

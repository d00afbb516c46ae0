import { Badge } from "../ui/status";

/** Said where an editor opens with what was written before. */
export function RestoredDraft({ restored }: { restored: boolean }) {
  if (!restored) return null;
  return (
    <p role="status">
      <Badge tone="idle" plain>
        Draft restored
      </Badge>{" "}
      Your unsaved changes from before are shown.
    </p>
  );
}

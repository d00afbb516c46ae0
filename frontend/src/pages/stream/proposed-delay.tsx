import { Button } from "@mantine/core";
import { useLateness } from "../../api/samples";
import { duration } from "../../ui/format/durations";
import { counted } from "../../ui/format/numbers";

const RECORDS = 2_000;

/** The delay that the order of the newest records asks for; nothing where none does. */
export function ProposedDelay({ stream, onUse }: { stream: string; onUse: (delay: string) => void }) {
  const { data } = useLateness(stream, RECORDS);
  if (!data?.records || data.proposed_seconds === null) return null;
  const proposed = duration(data.proposed_seconds * 1_000);
  return (
    <p className="soft">
      Of the newest {counted(data.records, "record")}, at most 0.1% come more than {proposed} late.{" "}
      <Button
        variant="default"
        size="compact-xs"
        onClick={() => {
          onUse(proposed);
        }}
      >
        Use {proposed}
      </Button>
    </p>
  );
}

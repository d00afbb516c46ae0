import { Button } from "@mantine/core";
import { useLateness } from "../../api/samples";
import { duration } from "../../ui/format/durations";
import { basisText, refusalText } from "../../lateness/delay-text";

const RECORDS = 5_000;

/** The delay that the order of records in the last hours asks for, or why none is proposed. */
export function ProposedDelay({ stream, onUse }: { stream: string; onUse: (delay: string) => void }) {
  const { data } = useLateness(stream, RECORDS);
  if (!data?.records) return null;
  if (data.proposed_seconds === null)
    return (
      <p className="soft">
        {basisText(data)} {refusalText(data)}
      </p>
    );
  const proposed = duration(data.proposed_seconds * 1_000);
  return (
    <p className="soft">
      {basisText(data)} At most 0.1% come more than {proposed} late.{" "}
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

import { useDeadLetterGroups } from "../../api/dead-letters";
import { counted } from "../../ui/format/numbers";

/** What goes with a stream beside its contract: its dead letters with the records in them. */
export function DeadLettersLost({ stream }: { stream: string }) {
  const groups = useDeadLetterGroups(stream);
  const sum = (of: "kept" | "waiting") =>
    groups.data?.results.reduce((all, group) => all + group[of], 0) ?? 0;
  if (groups.data && sum("kept") === 0) return null;
  return (
    <p>
      <strong>
        {groups.data
          ? `${counted(sum("kept"), "dead letter")} (${counted(sum("waiting"), "record")} not redriven)`
          : "Dead letters"}{" "}
        and past redrives are deleted.
      </strong>{" "}
      This can&apos;t be undone.
    </p>
  );
}

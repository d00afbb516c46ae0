import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useDiscardDeadLetters, type Selection } from "../../../api/dead-letters";
import type { Stream } from "../../../api/types";
import { Confirm } from "../../../ui/confirm";
import { counted } from "../../../ui/format/numbers";

/** Discards dead letters, with a reason. */
export function DiscardForm({
  stream,
  choice,
  deadLetters,
  onClose,
}: {
  stream: Stream;
  choice: Selection;
  deadLetters: number;
  onClose: () => void;
}) {
  const drop = useDiscardDeadLetters(stream.name);
  const [why, setWhy] = useState("");
  return (
    <Confirm
      opened
      title={`Discard ${counted(deadLetters, "dead letter")}?`}
      verb="Discard"
      busy={drop.isPending}
      error={drop.error}
      onClose={onClose}
      onConfirm={() => {
        drop.mutate({ ...choice, note: why }, { onSuccess: onClose });
      }}
    >
      <p>They can't be redriven afterwards. Kafka keeps their bytes until retention.</p>
      <TextInput
        label="Reason"
        description="Recorded in activity"
        required
        data-autofocus
        value={why}
        onChange={(e) => {
          setWhy(e.currentTarget.value);
        }}
      />
    </Confirm>
  );
}

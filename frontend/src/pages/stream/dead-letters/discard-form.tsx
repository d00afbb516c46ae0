import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useDiscardDeadLetters, type Selection } from "../../../api/dead-letters";
import type { Stream } from "../../../api/types";
import { Confirm } from "../../../ui/confirm";
import { counted } from "../../../ui/format/numbers";

/** Gives letters up, with a reason. */
export function DiscardForm({ stream, choice, letters, onClose }: { stream: Stream; choice: Selection; letters: number; onClose: () => void }) {
  const drop = useDiscardDeadLetters(stream.name);
  const [why, setWhy] = useState("");
  return (
    <Confirm opened title={`Drop ${counted(letters, "letter")}?`} verb="Drop" busy={drop.isPending} error={drop.error} onClose={onClose} onConfirm={() => { drop.mutate({ ...choice, why }, { onSuccess: onClose }); }}>
      <p>They can no longer be sent again from here. Their bytes stay in Kafka until its retention ends.</p>
      <TextInput label="Why" description="for whoever misses them" required data-autofocus value={why} onChange={(e) => { setWhy(e.currentTarget.value); }} />
    </Confirm>
  );
}

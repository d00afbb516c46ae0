import { Select } from "@mantine/core";
import { OptionalNumber } from "../../ui/number-field";
import { Term } from "../../ui/term";
import { CLEANUPS, cleanupOf, retentionProblem, type Cleanup } from "./retention";

/** Cleanup policy of a topic, new or existing. */
export function CleanupInput({ value, onChange }: { value: Cleanup; onChange: (to: Cleanup) => void }) {
  return (
    <Select
      label={<Term>Cleanup policy</Term>}
      description="When Kafka removes records"
      allowDeselect={false}
      data={[...CLEANUPS]}
      value={value}
      onChange={(to) => {
        onChange(cleanupOf(to ?? ""));
      }}
    />
  );
}

/** @param value hours; null: unlimited */
export function RetentionInput({
  value,
  onChange,
}: {
  value: number | null;
  onChange: (to: number | null) => void;
}) {
  return (
    <OptionalNumber
      label={<Term name="Retention">Retention (hours)</Term>}
      description="Leave empty for unlimited"
      min={0}
      allowDecimal
      allowNegative={false}
      value={value}
      onChange={onChange}
      error={retentionProblem(value)}
    />
  );
}

import { ActionIcon, Button, Select } from "@mantine/core";
import type { Threshold } from "../../api/types";
import { Icon } from "../../ui/icons";
import { NumberField } from "../../ui/number-field";
import { toneWord, type Tone } from "./value-text";
import classes from "./dashboard.module.css";

const TONES: readonly Tone[] = ["good", "warn", "bad"];
const MAX_THRESHOLDS = 5;

/** From which values on a number is good, a warning or critical. */
export function ThresholdFields({
  thresholds,
  onChange,
}: {
  thresholds: readonly Threshold[];
  onChange: (thresholds: Threshold[]) => void;
}) {
  const replace = (index: number, next: Threshold) => {
    onChange(thresholds.map((one, at) => (at === index ? next : one)));
  };
  const last = thresholds.at(-1);
  return (
    <fieldset
      style={{ border: 0, padding: 0, margin: 0, display: "grid", gap: 8 }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // Between two of its inputs they would change places under the person's hands.
        if (currentTarget.contains(relatedTarget)) return;
        onChange([...thresholds].sort((a, b) => a.value - b.value));
      }}
    >
      <legend className="soft">Thresholds</legend>
      {thresholds.map((threshold, index) => (
        <div key={index} className={classes["threshold"]}>
          <NumberField
            label="From"
            allowDecimal
            value={threshold.value}
            onChange={(value) => {
              replace(index, { ...threshold, value });
            }}
          />
          <Select
            label="Tone"
            data={TONES.map((tone) => ({ value: tone, label: toneWord(tone) }))}
            value={threshold.tone}
            allowDeselect={false}
            onChange={(tone) => {
              replace(index, { ...threshold, tone: tone as Tone });
            }}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove threshold ${String(threshold.value)}`}
            onClick={() => {
              onChange(thresholds.filter((_, at) => at !== index));
            }}
          >
            <Icon name="trash" size={14} />
          </ActionIcon>
        </div>
      ))}
      {thresholds.length < MAX_THRESHOLDS && (
        <Button
          variant="default"
          w="fit-content"
          onClick={() => {
            onChange([...thresholds, { value: last ? last.value + 1 : 0, tone: "warn" }]);
          }}
        >
          Add threshold
        </Button>
      )}
    </fieldset>
  );
}

import { Select } from "@mantine/core";
import { NumberField } from "../../../ui/number-field";
import { useStreams } from "../../../api/streams";
import type { Stream } from "../../../api/types";
import classes from "../stream.module.css";

interface RedriveTargetProps {
  stream: Stream;
  to: string;
  onTo: (stream: string) => void;
  rate: number;
  /** absent: a single record has no rate */
  onRate?: (rate: number) => void;
}

/** Target stream and rate of a redrive. */
export function RedriveTarget({ stream, to, onTo, rate, onRate }: RedriveTargetProps) {
  const streams = useStreams();
  const names = (streams.data?.results ?? [stream]).map(({ name, topic }) => ({
    value: name,
    label: name === stream.name ? `${name} (original)` : `${name} (${topic})`,
  }));
  return (
    <div className={classes["bar"]}>
      <Select
        label="Target stream"
        allowDeselect={false}
        data={names}
        value={to}
        onChange={(name) => {
          if (name) onTo(name);
        }}
        className={classes["wide"] ?? ""}
      />
      {onRate && (
        <NumberField label="Max rate (records/s)" min={1} max={5000} value={rate} onChange={onRate} />
      )}
    </div>
  );
}

import { MultiSelect, SegmentedControl, Select } from "@mantine/core";
import { memo } from "react";
import { MAX_SERIES } from "../../../charts/palette";
import { counted } from "../../../ui/format/numbers";
import { useUrlState } from "../../../ui/url-state";
import type { RowShape } from "./row-shape";
import { keysText, parseKeys } from "./chosen-keys";
import { TIME_RANGES } from "./time-ranges";
import { useMeasure } from "./use-measure";
import classes from "./live.module.css";

interface ToolbarProps {
  shape: RowShape;
  labels: readonly string[];
}

/** What is drawn: measure, keys, how much event time. All of it in the address. */
export const Toolbar = memo(function Toolbar({ shape, labels }: ToolbarProps) {
  const [measure, setMeasure] = useMeasure(shape);
  const [span, setSpan] = useUrlState("span", "auto");
  if (!shape.windowed && shape.measures.length < 2) return null;
  return (
    <div className={classes["toolbar"]}>
      {shape.measures.length > 1 && (
        <Select
          aria-label="Measure"
          data={shape.measures.map(({ name }) => name)}
          value={measure?.name ?? null}
          onChange={setMeasure}
          allowDeselect={false}
          w={160}
        />
      )}
      {shape.windowed && <SeriesChoice shape={shape} labels={labels} />}
      {shape.windowed && (
        <SegmentedControl
          aria-label="Event-time range"
          data={TIME_RANGES.map(({ name, label }) => ({ value: name, label }))}
          value={span}
          onChange={setSpan}
        />
      )}
    </div>
  );
});

function SeriesChoice({ shape, labels }: ToolbarProps) {
  const [text, setText] = useUrlState("keys", "");
  if (!shape.keys.length || labels.length < 2) return null;
  const chosen = parseKeys(text);
  return (
    <MultiSelect
      size="xs"
      aria-label={`Keys (max ${String(MAX_SERIES)})`}
      placeholder={
        chosen.length
          ? ""
          : labels.length > MAX_SERIES
            ? `Top ${String(MAX_SERIES)} keys`
            : `${counted(labels.length, "key")}, all shown`
      }
      data={[...new Set([...labels, ...chosen])]}
      value={chosen}
      maxValues={MAX_SERIES}
      searchable
      clearable
      limit={100}
      onChange={(values) => {
        setText(keysText(values) || null);
      }}
      style={{ minWidth: 200, maxWidth: 420 }}
    />
  );
}

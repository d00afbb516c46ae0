import { Select, type SelectProps } from "@mantine/core";
import { choices, type Metadata } from "../parameters";
import { readWindow } from "../window-choice";

const ONLY_FINAL: ReadonlySet<string> = new Set(["session", "sliding"]);

interface EmissionFieldProps extends Omit<SelectProps, "data" | "value" | "onChange"> {
  field: Metadata;
  window: unknown;
  value: unknown;
  onChange: (value: string | undefined) => void;
}

/** When a windowed aggregate emits. Session and sliding windows emit final results only. */
export function EmissionField({ field, window, value, onChange, ...rest }: EmissionFieldProps) {
  const final = ONLY_FINAL.has(readWindow(window).kind);
  const initial = final ? "final" : "update";
  const chosen = typeof value === "string" ? value : initial;
  const data = choices(field).filter((one) => !final || one.value === "final" || one.value === chosen);
  return (
    <Select
      {...rest}
      allowDeselect={false}
      data={data}
      value={chosen}
      onChange={(next) => {
        onChange(next === initial ? undefined : (next ?? undefined));
      }}
    />
  );
}

import { Select } from "@mantine/core";
import { EMISSIONS } from "../parameters";
import { readWindow } from "../window-choice";

const ONLY_FINAL: ReadonlySet<string> = new Set(["session", "sliding"]);

interface EmissionFieldProps { label: string; description?: string; window: unknown; value: unknown; error: string | null; onChange: (value: string | undefined) => void }

/** When a windowed aggregate emits. Session and sliding windows emit final results only. */
export function EmissionField({ label, description, window, value, error, onChange }: EmissionFieldProps) {
  const final = ONLY_FINAL.has(readWindow(window).kind);
  const initial = final ? "final" : "update";
  const chosen = typeof value === "string" ? value : initial;
  const data = EMISSIONS.filter((one) => !final || one.value === "final" || one.value === chosen);
  return <Select label={label} description={description} allowDeselect={false} data={data} value={chosen} error={error} onChange={(next) => { onChange(next === initial ? undefined : (next ?? undefined)); }} />;
}

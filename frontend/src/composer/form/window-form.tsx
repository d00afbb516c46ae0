import { Autocomplete, Select, TextInput } from "@mantine/core";
import { explainWindow, PARAMETER_LABELS, readWindow, WINDOW_KINDS, withKind, withParameter } from "../window";
import classes from "../composer.module.css";

interface WindowFormProps { value: unknown; error: string | null; onChange: (value: unknown) => void }

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  unit: ["day", "week", "month"],
  week_start: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
};
const ZONES = Intl.supportedValuesOf("timeZone");

export function WindowForm({ value, error, onChange }: WindowFormProps) {
  const window = readWindow(value);
  const shown = Object.entries(window.parameters).filter(([name]) => name !== "week_start" || window.parameters["unit"] === "week");
  return (
    <div>
      <div className={classes["row"]}>
        <Select label="Window" allowDeselect={false} data={[...WINDOW_KINDS]} value={window.kind} error={error} onChange={(kind) => { if (kind) onChange(withKind(window, kind)); }} />
        {shown.map(([name, text]) => {
          const label = PARAMETER_LABELS[name];
          const put = (next: string) => { onChange(withParameter(window, name, next)); };
          const choices = CHOICES[name];
          if (choices) return <Select key={name} label={label} allowDeselect={false} data={[...choices]} value={text} onChange={(next) => { if (next) put(next); }} />;
          if (name === "zone") return <Autocomplete key={name} size="xs" label={label} limit={12} data={ZONES} value={text} onChange={put} />;
          return <TextInput key={name} label={label} value={text} onChange={(e) => { put(e.currentTarget.value); }} />;
        })}
      </div>
      <p className="soft" style={{ fontSize: 12.5, marginTop: 4 }}>{explainWindow(window)}</p>
    </div>
  );
}

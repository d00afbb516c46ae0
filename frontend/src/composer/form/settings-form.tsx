import { Checkbox, Select, TextInput } from "@mantine/core";
import { setSetting } from "../outline";
import classes from "../composer.module.css";

interface SettingsFormProps { text: string; onChange: (text: string) => void; settings: Readonly<Record<string, unknown>> }

function word(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

export function SettingsForm({ text, onChange, settings }: SettingsFormProps) {
  const set = (name: string) => (value: string | null) => {
    if (value) onChange(setSetting(text, name, value));
  };
  return (
    <div className={classes["row"]}>
      <Select
        label="Mode"
        allowDeselect={false}
        data={[
          { value: "auto", label: "Choose for me" },
          { value: "realtime", label: "Real-time" },
          { value: "microbatch", label: "Micro-batch" },
        ]}
        value={word(settings["mode"], "auto")}
        onChange={set("mode")}
      />
      <Select
        label="Engine"
        allowDeselect={false}
        data={[
          { value: "shared", label: "Shared, starts in a moment" },
          { value: "dedicated", label: "Its own, starts in seconds" },
        ]}
        value={word(settings["engine"], "shared")}
        onChange={set("engine")}
      />
      <TextInput label="Keep windowed results for" value={word(settings["retention"], "7d")} onChange={(e) => { set("retention")(e.currentTarget.value); }} />
      <Checkbox
        label="Keep what it skips"
        description="The guards of its streams are on while it runs, and keep malformed records as dead letters"
        checked={settings["guard"] === true}
        onChange={(e) => { onChange(setSetting(text, "guard", e.currentTarget.checked)); }}
      />
    </div>
  );
}

import { Checkbox, Select } from "@mantine/core";
import type { Problem } from "../../api/types";
import { setSetting } from "../document-edits";
import { problemsAt } from "../problem-list";
import { CHOICES, DURATIONS, FLAGS, NUMBERS } from "../settings";
import { count } from "../../ui/format/numbers";
import { durationText } from "../../ui/labels";
import { OptionalNumber } from "../../ui/number-field";
import { defaultHint } from "../parameters";
import { DurationInput } from "./duration-input";
import { PathAnchor } from "./path-anchor";
import { asText } from "./values";
import classes from "../composer.module.css";

interface SettingsFormProps {
  text: string;
  onChange: (text: string) => void;
  settings: Readonly<Record<string, unknown>>;
  problems: readonly Problem[];
}

export function SettingsForm({ text, onChange, settings, problems }: SettingsFormProps) {
  const set = (name: string, value: string | number | boolean | undefined) => {
    onChange(setSetting(text, name, value));
  };
  const common = ({ name, label, hint }: { name: string; label: string; hint: string }) => ({
    label,
    description: hint,
    error: problemsAt(problems, ["settings", name]),
  });
  return (
    <div className={classes["row"]}>
      {CHOICES.map((choice) => (
        <PathAnchor key={choice.name} path={["settings", choice.name]}>
          <Select
            {...common(choice)}
            allowDeselect={false}
            data={[...choice.options]}
            value={asText(settings[choice.name]) || choice.initial}
            onChange={(value) => {
              set(choice.name, value === choice.initial ? undefined : (value ?? undefined));
            }}
          />
        </PathAnchor>
      ))}
      {DURATIONS.map((one) => (
        <PathAnchor key={one.name} path={["settings", one.name]}>
          <DurationInput
            {...common(one)}
            placeholder={defaultHint(durationText(one.initial))}
            value={asText(settings[one.name])}
            onChange={(next) => {
              set(one.name, next || undefined);
            }}
          />
        </PathAnchor>
      ))}
      {NUMBERS.map((one) => (
        <PathAnchor key={one.name} path={["settings", one.name]}>
          <OptionalNumber
            {...common(one)}
            placeholder={one.initial === null ? "No limit" : defaultHint(count(one.initial))}
            min={one.least}
            thousandSeparator=","
            value={asText(settings[one.name]) === "" ? null : Number(settings[one.name])}
            onChange={(next) => {
              set(one.name, next ?? undefined);
            }}
          />
        </PathAnchor>
      ))}
      {FLAGS.map((flag) => (
        <Checkbox
          key={flag.name}
          className={classes["fullWidth"] ?? ""}
          {...common(flag)}
          checked={settings[flag.name] === true}
          onChange={(e) => {
            set(flag.name, e.currentTarget.checked || undefined);
          }}
        />
      ))}
    </div>
  );
}

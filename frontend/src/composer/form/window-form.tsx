import { Select, TextInput } from "@mantine/core";
import {
  explainWindow,
  parameterText,
  readWindow,
  shownParameters,
  WINDOW_KINDS,
  withKind,
  withParameter,
  type WindowParameter,
} from "../window-choice";
import { choices, placeholder } from "../parameters";
import { DurationInput } from "./duration-input";
import { TimeZoneInput } from "./time-zone-input";
import { asText } from "./values";
import classes from "../composer.module.css";

interface WindowFormProps {
  value: unknown;
  wrong: (...path: string[]) => string | null;
  onChange: (value: unknown) => void;
}

export function WindowForm({ value, wrong, onChange }: WindowFormProps) {
  const window = readWindow(value);
  const shown = shownParameters(window);
  const own = shown.map(({ name }) => wrong(window.kind, name)).some(Boolean) ? null : wrong();
  return (
    <div>
      <div className={`${classes["row"] ?? ""} ${classes["windowRow"] ?? ""}`}>
        <Select
          label="Window"
          allowDeselect={false}
          data={[...WINDOW_KINDS]}
          value={window.kind}
          error={own}
          onChange={(kind) => {
            if (kind) onChange(withKind(window, kind));
          }}
        />
        {shown.map((parameter) => (
          <Parameter
            key={parameter.name}
            parameter={parameter}
            text={parameterText(window, parameter.name)}
            error={wrong(window.kind, parameter.name)}
            onChange={(next) => {
              onChange(withParameter(window, parameter.name, next));
            }}
          />
        ))}
      </div>
      {wrong() === null && (
        <p className="soft" style={{ fontSize: 12.5, marginTop: 4 }}>
          {explainWindow(window)}
        </p>
      )}
    </div>
  );
}

interface ParameterProps {
  parameter: WindowParameter;
  text: string;
  error: string | null;
  onChange: (text: string) => void;
}

function Parameter({ parameter, text, error, onChange }: ParameterProps) {
  const { input, label, help } = parameter;
  const common = { label, error, title: help };
  if (input === "choice")
    return (
      <Select
        {...common}
        allowDeselect={false}
        data={choices(parameter)}
        value={text || asText(parameter.default) || null}
        onChange={(next) => {
          if (next) onChange(next);
        }}
      />
    );
  if (input === "time_zone") return <TimeZoneInput {...common} value={text} onChange={onChange} />;
  if (input === "duration")
    return (
      <DurationInput {...common} placeholder={placeholder(parameter)} value={text} onChange={onChange} />
    );
  return (
    <TextInput
      {...common}
      placeholder={placeholder(parameter)}
      value={text}
      onChange={(e) => {
        onChange(e.currentTarget.value);
      }}
    />
  );
}

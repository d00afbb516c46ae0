import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { useFollowed } from "../../ui/followed-text";
import { instant, localInputText, utcTime, zoneId } from "../../ui/format/times";
import { submittedTime } from "./submitted-time";
import classes from "./stream.module.css";

interface SubmitTextProps {
  label: string;
  value: string;
  onSubmit: (value: string | null) => void;
  numeric?: boolean;
  code?: boolean;
  wide?: boolean;
}

/** A text input that applies on Enter or blur, not on every keystroke. */
export function SubmitText({
  label,
  value,
  onSubmit,
  numeric = false,
  code = false,
  wide = false,
}: SubmitTextProps) {
  const [text, setText] = useFollowed(value);
  const submit = () => {
    if (text === value || (numeric && !/^\d*$/.test(text))) return;
    onSubmit(text || null);
  };
  return (
    <form
      className={wide ? classes["wide"] : undefined}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextInput
        aria-label={label}
        placeholder={label}
        {...(numeric && { inputMode: "numeric", pattern: "[0-9]*" })}
        error={numeric && !/^\d*$/.test(text) ? "Digits only" : undefined}
        value={text}
        onChange={(e) => {
          setText(e.currentTarget.value);
        }}
        onBlur={submit}
        {...(code && { styles: { input: { fontFamily: "var(--mantine-font-family-monospace)" } } })}
        {...(!wide && { w: 130 })}
      />
    </form>
  );
}

interface SubmitTimeProps {
  label: string;
  value: string;
  onSubmit: (value: string | null) => void;
  optional?: boolean;
}

/** A moment in the person's zone; the address holds it in UTC. */
export function SubmitTime({ label, value, onSubmit, optional = false }: SubmitTimeProps) {
  const [usual] = useState(() => (optional ? "" : localInputText(new Date(Date.now() - 600_000))));
  const chosen = instant(value);
  const [text, setText] = useFollowed(chosen ? localInputText(chosen) : usual);
  const at = new Date(text);
  const valid = !Number.isNaN(at.getTime());
  const submit = () => {
    const next = submittedTime(text, value);
    if (next !== undefined) onSubmit(next);
  };
  return (
    <form
      className={classes["bar"]}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <span className="soft">{label}</span>
      <TextInput
        type="datetime-local"
        step={1}
        aria-label={`${label} (${zoneId()})`}
        title={valid ? `${label} ${utcTime(at)}` : label}
        value={text}
        onChange={(e) => {
          setText(e.currentTarget.value);
        }}
        onKeyDown={(e) => {
          if (e.key === "Enter") {
            e.preventDefault();
            submit();
          }
        }}
        {...(optional && { onBlur: submit })}
      />
      {!optional && (
        <Button type="submit" variant="default" disabled={!valid}>
          Show
        </Button>
      )}
    </form>
  );
}

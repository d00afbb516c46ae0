import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { utcTime, zoneId } from "../../ui/format/times";
import classes from "./stream.module.css";

interface AskedTextProps { label: string; value: string; onAsk: (value: string | null) => void; numeric?: boolean; code?: boolean; wide?: boolean }

/** A text that counts when it is entered, not with every letter. */
export function AskedText({ label, value, onAsk, numeric = false, code = false, wide = false }: AskedTextProps) {
  const [text, setText] = useState(value);
  const ask = () => { if (text !== value) onAsk(text || null); };
  return (
    <form className={wide ? classes["wide"] : undefined} onSubmit={(event) => { event.preventDefault(); ask(); }}>
      <TextInput
        aria-label={label}
        placeholder={label}
        {...(numeric && { inputMode: "numeric", pattern: "[0-9]*" })}
        value={text}
        onChange={(e) => { setText(e.currentTarget.value); }}
        onBlur={ask}
        {...(code && { styles: { input: { fontFamily: "var(--mantine-font-family-monospace)" } } })}
        {...(!wide && { w: 130 })}
      />
    </form>
  );
}

interface AskedTimeProps { label: string; value: string; onAsk: (value: string | null) => void; optional?: boolean }

/** A moment in the person's zone; the address holds it in UTC. */
export function AskedTime({ label, value, onAsk, optional = false }: AskedTimeProps) {
  const [text, setText] = useState(() => (value ? local(new Date(value)) : optional ? "" : local(new Date(Date.now() - 600_000))));
  const at = new Date(text);
  const valid = !Number.isNaN(at.getTime());
  const ask = () => { onAsk(valid ? at.toISOString() : null); };
  return (
    <form className={classes["bar"]} onSubmit={(event) => { event.preventDefault(); ask(); }}>
      <span className="soft">{label}</span>
      <TextInput type="datetime-local" step={1} aria-label={`${label} (${zoneId()})`} title={valid ? `${label} ${utcTime(at)}` : label} value={text} onChange={(e) => { setText(e.currentTarget.value); }} onKeyDown={(e) => { if (e.key === "Enter") { e.preventDefault(); ask(); } }} {...(optional && { onBlur: ask })} />
      {!optional && <Button type="submit" variant="default" disabled={!valid}>Show</Button>}
    </form>
  );
}

function local(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

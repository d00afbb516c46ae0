import { Select, TextInput } from "@mantine/core";
import { duration, parseDuration } from "../../ui/format/durations";
import { asText } from "./values";
import classes from "../composer.module.css";

interface WindowFormProps { value: unknown; error: string | null; onChange: (value: unknown) => void }

type Kind = "none" | "tumbling" | "hopping";

function read(value: unknown): { kind: Kind; size: string; advance: string } {
  const window = typeof value === "object" && value !== null ? (value as Record<string, Record<string, unknown> | null>) : {};
  const kind: Kind = "hopping" in window ? "hopping" : "tumbling" in window ? "tumbling" : "none";
  const inner = kind === "none" ? {} : (window[kind] ?? {});
  return { kind, size: asText(inner["size"]) || "1m", advance: asText(inner["advance"]) || "10s" };
}

function explain({ kind, size, advance }: ReturnType<typeof read>): string {
  if (kind === "none") return "One result per key over all rows ever; its state never ends.";
  const length = parseDuration(size);
  if (length === null) return "Durations are written 250ms, 5s, 1m, 2h, 1d or joined, as 1h30m.";
  if (kind === "tumbling") return `Each row counts in one window of ${duration(length)}.`;
  const step = parseDuration(advance);
  return step ? `Each row counts in ${String(Math.ceil(length / step))} windows of ${duration(length)}, a new one every ${duration(step)}.` : "";
}

export function WindowForm({ value, error, onChange }: WindowFormProps) {
  const window = read(value);
  const write = (kind: Kind, size: string, advance: string) => {
    if (kind === "none") onChange(undefined);
    else onChange(kind === "tumbling" ? { tumbling: { size } } : { hopping: { size, advance } });
  };
  return (
    <div>
      <div className={classes["row"]}>
        <Select
          label="Window"
          allowDeselect={false}
          data={[
            { value: "tumbling", label: "Tumbling: one after the other" },
            { value: "hopping", label: "Hopping: they overlap" },
            { value: "none", label: "None: all rows ever" },
          ]}
          value={window.kind}
          error={error}
          onChange={(kind) => { write((kind ?? "none"), window.size, window.advance); }}
        />
        {window.kind !== "none" && <TextInput label="Size" value={window.size} onChange={(e) => { write(window.kind, e.currentTarget.value, window.advance); }} />}
        {window.kind === "hopping" && <TextInput label="Advances by" value={window.advance} onChange={(e) => { write(window.kind, window.size, e.currentTarget.value); }} />}
      </div>
      <p className="soft" style={{ fontSize: 12.5, marginTop: 4 }}>{explain(window)}</p>
    </div>
  );
}

import { Select, TextInput } from "@mantine/core";
import { useState } from "react";

interface PrefixFieldProps {
  label: string;
  title?: string | undefined;
  field: string;
  value: unknown;
  error: string | null;
  onChange: (value: string | undefined) => void;
}

/** The prefix of a struct's members: its name by default; an empty prefix is a value of its own. */
export function PrefixField({ label, title, field, value, error, onChange }: PrefixFieldProps) {
  // While a prefix of one's own is typed, it may be empty.
  const [isCustom, setCustom] = useState(false);
  const isOther = typeof value === "string" && (value !== "" || isCustom);
  const chosen = isOther ? "other" : value === "" ? "none" : "own";
  const struct = field || "struct";
  return (
    <>
      <Select
        label={label}
        title={title}
        allowDeselect={false}
        data={[
          { value: "own", label: `Prefix with struct name: ${struct}_part` },
          { value: "none", label: "Keep member names: part" },
          { value: "other", label: "Custom prefix" },
        ]}
        value={chosen}
        error={chosen === "other" ? null : error}
        onChange={(next) => {
          setCustom(next === "other");
          onChange(next === "own" ? undefined : next === "none" ? "" : `${struct}_`);
        }}
      />
      {chosen === "other" && (
        <TextInput
          label="Prefix"
          value={typeof value === "string" ? value : ""}
          error={error}
          onChange={(e) => {
            setCustom(true);
            onChange(e.currentTarget.value);
          }}
        />
      )}
    </>
  );
}

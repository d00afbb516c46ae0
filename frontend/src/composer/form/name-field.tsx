import { TextInput } from "@mantine/core";
import { useState } from "react";

interface NameFieldProps {
  name: string;
  problemOf: (name: string) => string | null;
  onChange: (name: string) => void;
}

/** A step's name. Applied on blur or Enter, because all references to the step change with it. */
export function NameField({ name, problemOf, onChange }: NameFieldProps) {
  const [typed, setTyped] = useState(name);
  const [known, setKnown] = useState(name);
  if (known !== name) {
    setKnown(name);
    setTyped(name);
  }
  const problem = typed === name ? null : problemOf(typed);
  const take = () => {
    if (typed !== name && !problem) onChange(typed);
  };
  return (
    <TextInput
      label="Step name"
      value={typed}
      error={problem}
      onChange={(e) => {
        setTyped(e.currentTarget.value);
      }}
      onBlur={take}
      onKeyDown={(e) => {
        if (e.key === "Enter") take();
      }}
    />
  );
}

import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { durationProblem } from "../duration-problem";

interface DurationInputProps extends Omit<TextInputProps, "value" | "onChange" | "error"> {
  value: string;
  /** what the server says of it */
  error?: string | null | undefined;
  onChange: (value: string) => void;
}

/** A duration, as documents write it or as screens print it. What is wrong is said on leaving the field. */
export function DurationInput({ value, error = null, onChange, ...rest }: DurationInputProps) {
  const [typing, setTyping] = useState(false);
  return (
    <TextInput
      {...rest}
      value={value}
      error={typing ? null : (durationProblem(value) ?? error)}
      onChange={(e) => {
        setTyping(true);
        onChange(e.currentTarget.value);
      }}
      onBlur={() => {
        setTyping(false);
      }}
    />
  );
}

import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useState } from "react";

interface NumberFieldProps extends Omit<NumberInputProps, "value" | "onChange" | "onBlur" | "min" | "max"> {
  value: number;
  onChange: (value: number) => void;
  min?: number;
  max?: number;
}

/**
 * A number that there always is, a whole one unless `allowDecimal`. While it is typed the input may be empty
 * or hold half of one: the last number within the bounds is told, and shown again when the input is left.
 */
export function NumberField({ value, onChange, min, max, ...props }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | number | null>(null);
  return (
    <NumberInput
      allowDecimal={false}
      {...props}
      {...(min !== undefined && { min })}
      {...(max !== undefined && { max })}
      value={typed ?? value}
      onChange={(next) => {
        setTyped(next);
        const told = toldOf(next, min, max);
        if (told !== null && told !== value) onChange(told);
      }}
      onBlur={() => {
        // The input puts what was typed within the bounds first.
        window.setTimeout(() => {
          setTyped(null);
        }, 0);
      }}
    />
  );
}

/** The number that a typed text is; null while it is none, or none within the bounds. */
export function toldOf(typed: string | number, min = -Infinity, max = Infinity): number | null {
  const number = typeof typed === "number" ? typed : typed.trim() === "" ? NaN : Number(typed);
  return Number.isFinite(number) && number >= min && number <= max ? number : null;
}

import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useState } from "react";

interface Bounds {
  min?: number;
  max?: number;
}
type Props = Omit<NumberInputProps, "value" | "onChange" | "onBlur" | "onKeyDown" | "min" | "max"> & Bounds;

interface NumberFieldProps extends Props {
  value: number;
  onChange: (value: number) => void;
}

/**
 * A number that there always is, a whole one unless `allowDecimal`. While it is typed the input may be empty
 * or hold half of one: the last number within the bounds is told, and shown again when the input is left, or
 * on Enter, which then doesn't send the form.
 */
export function NumberField({ value, onChange, ...props }: NumberFieldProps) {
  return (
    <TypedNumber
      {...props}
      value={value}
      onTyped={(typed) => {
        const told = toldOf(typed, props.min, props.max);
        if (told !== null && told !== value) onChange(told);
        return told !== null;
      }}
    />
  );
}

interface OptionalNumberProps extends Props {
  /** null: none */
  value: number | null;
  onChange: (value: number | null) => void;
}

/**
 * A number that may be left out. Half of one, as 0. on the way to 0.05, is neither told nor taken away. Enter
 * is as of `NumberField`.
 */
export function OptionalNumber({ value, onChange, ...props }: OptionalNumberProps) {
  return (
    <TypedNumber
      {...props}
      value={value ?? ""}
      onTyped={(typed) => {
        const told = optionalOf(typed, props.min, props.max);
        if (told !== undefined && told !== value) onChange(told);
        return told !== undefined;
      }}
    />
  );
}

/** onTyped: returns whether what was typed is told. */
function TypedNumber({
  value,
  onTyped,
  min,
  max,
  ...props
}: Props & { value: number | ""; onTyped: (typed: string | number) => boolean }) {
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
        onTyped(next);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || typed === null || onTyped(typed)) return;
        // The form would be sent with another number than the one shown. Left and entered again, the input
        // shows the number that is told, and the next Enter sends it.
        event.preventDefault();
        event.currentTarget.blur();
        event.currentTarget.focus();
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

/** As `toldOf` with null for an empty input; undefined while nothing can be told. */
export function optionalOf(typed: string | number, min?: number, max?: number): number | null | undefined {
  return typed === "" ? null : (toldOf(typed, min, max) ?? undefined);
}

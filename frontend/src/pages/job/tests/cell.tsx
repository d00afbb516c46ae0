import { useState } from "react";

interface CellProps {
  label: string;
  text: string;
  onChange: (text: string) => void;
  problem?: string | null;
  placeholder?: string;
}

/** A cell that writes into the document when it is left, or by Enter: each change is one step of undo. */
export function Cell({ label, text, onChange, problem, placeholder }: CellProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const commit = () => {
    if (typed !== null && typed !== text) onChange(typed);
    setTyped(null);
  };
  return (
    <input
      aria-label={label}
      value={typed ?? text}
      placeholder={placeholder}
      aria-invalid={problem ? true : undefined}
      title={problem ?? undefined}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
      }}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
        if (event.key === "Escape") setTyped(null);
      }}
    />
  );
}

import { useState } from "react";

/** A text that is typed, until what it began from is changed elsewhere: by another button, or by Back. */
export function useFollowed(value: string): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  if (value !== before) {
    setBefore(value);
    setText(value);
  }
  return [text, setText];
}

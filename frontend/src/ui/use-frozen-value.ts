import { useState, useSyncExternalStore } from "react";

let pressed = false;
const watching = new Set<() => void>();

function turn(next: boolean) {
  pressed = next;
  watching.forEach((heard) => { heard(); });
}
const down = () => { turn(true); };
// A moment later: the click that belongs to it is told after it, at the place where both happened.
const up = () => { window.setTimeout(() => { turn(false); }, 0); };

function watch(heard: () => void) {
  if (!watching.size) {
    window.addEventListener("pointerdown", down, true);
    window.addEventListener("pointerup", up, true);
    window.addEventListener("pointercancel", up, true);
  }
  watching.add(heard);
  return () => {
    watching.delete(heard);
    if (watching.size) return;
    window.removeEventListener("pointerdown", down, true);
    window.removeEventListener("pointerup", up, true);
    window.removeEventListener("pointercancel", up, true);
    pressed = false;
  };
}

/**
 * What came by itself, held back while a pointer is pressed: a page that moves between the press and the release takes the
 * click away from what was pressed.
 */
export function useFrozenWhilePressed<T>(value: T): T {
  const isPressed = useSyncExternalStore(watch, () => pressed, () => false);
  const [shown, setShown] = useState(value);
  if (!isPressed && shown !== value) setShown(value);
  return isPressed ? shown : value;
}

import { useState, useSyncExternalStore } from "react";

let pressed = false;
const watching = new Set<() => void>();

function turn(next: boolean) {
  pressed = next;
  watching.forEach((listener) => {
    listener();
  });
}
const down = () => {
  turn(true);
};
// Delayed, because the click comes after pointerup and must hit what was pressed.
const up = () => {
  window.setTimeout(() => {
    turn(false);
  }, 0);
};

function watch(listener: () => void) {
  if (!watching.size) {
    window.addEventListener("pointerdown", down, true);
    window.addEventListener("pointerup", up, true);
    window.addEventListener("pointercancel", up, true);
  }
  watching.add(listener);
  return () => {
    watching.delete(listener);
    if (watching.size) return;
    window.removeEventListener("pointerdown", down, true);
    window.removeEventListener("pointerup", up, true);
    window.removeEventListener("pointercancel", up, true);
    pressed = false;
  };
}

/**
 * A value that is frozen while a pointer is pressed: if the page moved between press and release, the click
 * would miss its target.
 */
export function useFrozenWhilePressed<T>(value: T): T {
  const isPressed = useSyncExternalStore(
    watch,
    () => pressed,
    () => false,
  );
  const [shown, setShown] = useState(value);
  if (!isPressed && shown !== value) setShown(value);
  return isPressed ? shown : value;
}

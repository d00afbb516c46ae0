import { useState, useSyncExternalStore } from "react";

let pressed = false;
const watching = new Set<() => void>();

function turn(next: boolean) {
  pressed = next;
  watching.forEach((listener) => {
    listener();
  });
}
const down = (event: PointerEvent) => {
  if (startsClick(event)) turn(true);
};
// Delayed, because the click comes after pointerup and must hit what was pressed.
const up = () => {
  window.setTimeout(() => {
    turn(false);
  }, 0);
};

/** A native context menu, as of a right click, may swallow the release. */
export function startsClick({ button, ctrlKey }: Pick<PointerEvent, "button" | "ctrlKey">): boolean {
  return button === 0 && !ctrlKey;
}

const ENDS = ["pointerup", "pointercancel", "contextmenu"] as const;

function watch(listener: () => void) {
  if (!watching.size) {
    window.addEventListener("pointerdown", down, true);
    for (const end of ENDS) window.addEventListener(end, up, true);
    // Another window gets the release. Without capturing, which would hear of each element's blur as well.
    window.addEventListener("blur", up);
  }
  watching.add(listener);
  return () => {
    watching.delete(listener);
    if (watching.size) return;
    window.removeEventListener("pointerdown", down, true);
    for (const end of ENDS) window.removeEventListener(end, up, true);
    window.removeEventListener("blur", up);
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

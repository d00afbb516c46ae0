import { useEffect } from "react";

/** Buttons that take a row away, some of them after a question. */
const REMOVERS = 'button[aria-label^="Remove"], button[data-removes]';
const QUESTION = '[role="dialog"]';
const OTHERS = "button:not([disabled]), input:not([disabled]), select, textarea, a[href]";

/** Where a button that removes a row stands: its place among those of each element around it. */
interface Place {
  button: Pick<Element, "isConnected">;
  /** the nearest first */
  around: readonly { element: Surrounding; at: number }[];
}
type Surrounding = Pick<ParentNode & Element, "isConnected" | "querySelectorAll">;

function placeOf(button: Element): Place {
  const around: Place["around"][number][] = [];
  for (let element = button.parentElement; element; element = element.parentElement)
    around.push({ element, at: [...element.querySelectorAll(REMOVERS)].indexOf(button) });
  return { button, around };
}

/**
 * Where the focus goes when a button is gone with its row: to that of the row in its place, else of the one
 * before, else to what else there is in the nearest element that is still there.
 */
export function afterRemoval({ around }: Place): Element | null {
  for (const { element, at } of around) {
    if (!element.isConnected) continue;
    const others = element.querySelectorAll(REMOVERS);
    const next = others[Math.min(at, others.length - 1)] ?? [...element.querySelectorAll(OTHERS)].at(-1);
    if (next) return next;
  }
  return null;
}

/**
 * Whether the focus is still in the question that a button asks before its row goes: it comes back when that
 * is closed, to nothing if the button is gone by then.
 */
export function isAsked({ around }: Place, focused: Pick<Element, "closest"> | null): boolean {
  const question = focused?.closest(QUESTION) ?? null;
  return question !== null && !around.some(({ element }) => element === question);
}

/** Keeps the focus near a row that was removed with the button that had it, for all lists of the page. */
export function useKeptFocus(): void {
  useEffect(() => {
    let place: Place | null = null;
    const observer = new MutationObserver(() => {
      if (!place || place.button.isConnected || isAsked(place, document.activeElement)) return;
      const next = document.activeElement === document.body ? afterRemoval(place) : null;
      stop();
      if (next instanceof HTMLElement) next.focus();
    });
    const stop = () => {
      place = null;
      observer.disconnect();
    };
    const onFocus = ({ target }: FocusEvent) => {
      const button = target instanceof Element ? target.closest(REMOVERS) : null;
      if (!button && place && target instanceof Element && isAsked(place, target)) return;
      stop();
      if (!button) return;
      place = placeOf(button);
      observer.observe(document.body, { childList: true, subtree: true });
    };
    document.addEventListener("focusin", onFocus);
    return () => {
      document.removeEventListener("focusin", onFocus);
      stop();
    };
  }, []);
}

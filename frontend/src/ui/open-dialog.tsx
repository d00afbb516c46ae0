import { Modal, type ModalProps } from "@mantine/core";
import { useLayoutEffect } from "react";

/** What keeps a dialog open, while what it shows or does would be lost with it. */
export function heldOpen(
  held: boolean,
): Pick<ModalProps, "closeOnEscape" | "closeOnClickOutside" | "withCloseButton"> {
  return { closeOnEscape: !held, closeOnClickOutside: !held, withCloseButton: !held };
}

/** A dialog that is open as long as it is there. */
export function OpenDialog(props: Omit<ModalProps, "opened">) {
  useReturnedFocus(true);
  return <Modal opened {...props} />;
}

/**
 * Gives the focus back to the opener when what holds an open dialog goes. Mantine does that only where it
 * stays and is closed.
 */
export function useReturnedFocus(opened: boolean): void {
  useLayoutEffect(() => {
    const opener = document.activeElement;
    if (!opened || !(opener instanceof HTMLElement)) return undefined;
    const giveBack = () => {
      opener.focus({ preventScroll: true });
    };
    return () => {
      giveBack();
      // A question that goes with its dialog has just given it back to the dialog, which is gone by then.
      queueMicrotask(() => {
        if (document.activeElement === document.body) giveBack();
      });
    };
  }, [opened]);
}

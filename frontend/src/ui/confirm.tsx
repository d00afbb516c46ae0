import { Button, Modal } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { ApiError } from "../api/client";
import { Badge } from "./status";
import { heldOpen, useReturnedFocus } from "./open-dialog";
import classes from "./confirm.module.css";

interface ConfirmProps {
  opened: boolean;
  title: string;
  /** what will be lost, in words */
  children: ReactNode;
  verb: string;
  danger?: boolean;
  busy?: boolean;
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
}

/**
 * Asks once before something is lost. While what was confirmed is being done it stays open: it can't be taken
 * back any more, and its failure is said here.
 */
export function Confirm({
  opened,
  title,
  children,
  verb,
  danger = true,
  busy = false,
  error,
  onConfirm,
  onClose,
}: ConfirmProps) {
  // What went wrong when it was open before, maybe about something else, is over.
  const [known, setKnown] = useState<{ opened: boolean; error: unknown }>({ opened, error: null });
  if (known.opened !== opened) setKnown({ opened, error: opened ? error : known.error });
  const shown = error === known.error ? null : error;
  // Mantine gives it back only where the question stays and is closed.
  useReturnedFocus(opened);
  return (
    <Modal opened={opened} onClose={onClose} {...heldOpen(busy)} title={<strong>{title}</strong>}>
      <div className={classes["body"]}>{children}</div>
      {shown ? (
        <p role="alert">
          <Badge tone="bad" plain>
            {shown instanceof ApiError ? shown.message : "Something went wrong. Try again."}
          </Badge>
        </p>
      ) : null}
      <div className={classes["actions"]}>
        <Button variant="default" data-autofocus disabled={busy} onClick={onClose}>
          Cancel
        </Button>
        <Button {...(danger && { color: "#b3261e" })} loading={busy} onClick={onConfirm}>
          {verb}
        </Button>
      </div>
    </Modal>
  );
}

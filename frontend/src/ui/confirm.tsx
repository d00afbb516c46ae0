import { Button, Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { ApiError } from "../api/client";
import { Badge } from "./status";
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

/** Asks once before something is lost. */
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
  return (
    <Modal opened={opened} onClose={onClose} title={<strong>{title}</strong>}>
      <div className={classes["body"]}>{children}</div>
      {error ? (
        <p role="alert">
          <Badge tone="bad" plain>
            {error instanceof ApiError ? error.message : "Something went wrong. Try again."}
          </Badge>
        </p>
      ) : null}
      <div className={classes["actions"]}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button {...(danger && { color: "#b3261e" })} loading={busy} onClick={onConfirm}>
          {verb}
        </Button>
      </div>
    </Modal>
  );
}

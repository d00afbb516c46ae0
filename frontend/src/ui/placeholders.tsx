/** What a list or chart shows when it has nothing to show: empty, waiting, failing. Each says why. */

import { Button, Code, Loader } from "@mantine/core";
import type { ReactNode } from "react";
import { ApiError } from "../api/client";
import { CopyButton } from "./copy-button";
import { Icon } from "./icons";
import { Badge } from "./status";
import classes from "./placeholders.module.css";

interface PlaceholderProps {
  title: string;
  /** the page has nothing else, so this is its heading */ main?: boolean;
  children?: ReactNode;
  action?: ReactNode;
}

/** Nothing is there, and that is no fault: why, and the one thing to do. */
export function Empty({ title, main = false, children, action }: PlaceholderProps) {
  return (
    <div className={classes["state"]}>
      {main ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children && <p className="soft">{children}</p>}
      {action && <div className={classes["action"]}>{action}</div>}
    </div>
  );
}

/** In place of a form that a viewer could only fail with: `what` they can't do. */
export function ForEditors({ what }: { what: string }) {
  return (
    <Empty title={`Viewers can't ${what}`}>
      Ask a workspace owner for the editor role (Admin › Members).
    </Empty>
  );
}

/** Something will come: for what, since when, how far. */
export function Loading({ title, children, action }: PlaceholderProps) {
  return (
    <div className={classes["state"]}>
      {/* What stands below may count on, and would be read out each second. */}
      <div role="status">
        <h2 className={classes["waiting"]}>
          <Loader size={14} aria-hidden /> {title}
        </h2>
      </div>
      {children && <p className="soft">{children}</p>}
      {action && <div className={classes["action"]}>{action}</div>}
    </div>
  );
}

interface LoadErrorProps {
  title: string;
  error: unknown;
  onRetry?: () => void;
  still?: ReactNode;
}

/** Something broke: cause, what still works, the raw text folded under it. */
export function LoadError({ title, error, onRetry, still }: LoadErrorProps) {
  const shown = error instanceof ApiError ? error : null;
  return (
    <div className={classes["state"]} role="alert">
      <h2>
        <Badge tone="bad" plain>
          {title}
        </Badge>
      </h2>
      <p>
        {shown
          ? shown.detail || shown.title
          : "Unexpected response from the server. Reload the page; " +
            "if it happens again, report the details below."}
      </p>
      {still && <p className="soft">{still}</p>}
      {onRetry && (
        <div className={classes["action"]}>
          <Button variant="default" onClick={onRetry} leftSection={<Icon name="refresh" size={14} />}>
            Try again
          </Button>
        </div>
      )}
      <RawText
        text={shown ? `${String(shown.status)} ${shown.title} ${shown.code ?? ""}`.trim() : String(error)}
      />
    </div>
  );
}

/** The original words, for whoever needs them. */
export function RawText({ text, label = "Details" }: { text: string; label?: string }) {
  if (!text) return null;
  return (
    <details className={classes["raw"]}>
      <summary>{label}</summary>
      <Code block className={classes["code"]} tabIndex={0}>
        {text}
      </Code>
      <CopyButton text={text} />
    </details>
  );
}

import { Button } from "@mantine/core";
import { Component, type ReactNode } from "react";
import { Icon } from "./icons";
import { RawText } from "./placeholders";
import { Badge } from "./status";
import classes from "./placeholders.module.css";

interface ErrorBoundaryProps {
  children: ReactNode;
  /** what is drawn is tried again when this changes */
  resetKey: string;
  /** what is shown instead; by default why the page is not there, and a way on */
  instead?: ReactNode;
}

interface State {
  failure: { error: unknown } | null;
  resetKey: string;
}

/** Keeps a fault in drawing one part from taking the rest with it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, State> {
  override state: State = { failure: null, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ resetKey }: ErrorBoundaryProps, state: State): Partial<State> | null {
    return resetKey === state.resetKey ? null : { failure: null, resetKey };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (!failure) return this.props.children;
    return this.props.instead ?? <Failed error={failure.error} />;
  }
}

function Failed({ error }: { error: unknown }) {
  return (
    <main id="main" tabIndex={-1} className={classes["state"]} role="alert">
      <h1>
        <Badge tone="bad" plain>
          This page can&apos;t be shown
        </Badge>
      </h1>
      <p>{failureText(error)}</p>
      <p className="soft">Running jobs aren&apos;t affected. Drafts stay in this browser.</p>
      <div className={classes["action"]}>
        <Button
          variant="default"
          leftSection={<Icon name="refresh" size={14} />}
          onClick={() => {
            window.location.reload();
          }}
        >
          Reload
        </Button>
      </div>
      <RawText text={error instanceof Error ? (error.stack ?? error.message) : String(error)} />
    </main>
  );
}

/** What the browsers say where a part of the page can't be loaded, as after an update of the server. */
const NOT_LOADED = /dynamically imported module|Importing a module script failed|Unable to preload CSS/i;

export function failureText(error: unknown): string {
  return error instanceof Error && NOT_LOADED.test(error.message)
    ? "A part of it couldn't be loaded: Weir was updated since, or can't be reached. Reload the page."
    : "Something went wrong in this page. Reload it; if it happens again, report the details below.";
}

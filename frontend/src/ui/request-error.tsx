import { Button } from "@mantine/core";
import { ApiError } from "../api/client";
import { Badge } from "./status";

interface RequestErrorProps {
  what: string;
  error: unknown;
  /** of what was read, and can be read again */
  onRetry?: () => unknown;
}

/** Why a request failed, in the server's words; nothing without an error. */
export function RequestError({ what, error, onRetry }: RequestErrorProps) {
  if (!error) return null;
  return (
    <p role="alert">
      <Badge tone="bad" plain>
        {what}
      </Badge>{" "}
      {error instanceof ApiError ? error.message : "Something went wrong. Try again."}
      {onRetry && (
        <>
          {" "}
          <Button variant="default" size="compact-sm" onClick={() => void onRetry()}>
            Try again
          </Button>
        </>
      )}
    </p>
  );
}

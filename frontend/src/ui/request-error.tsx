import { ApiError } from "../api/client";
import { Badge } from "./status";

/** Why a request failed, in the server's words; nothing without an error. */
export function RequestError({ what, error }: { what: string; error: unknown }) {
  if (!error) return null;
  return (
    <p role="alert">
      <Badge tone="bad" plain>
        {what}
      </Badge>{" "}
      {error instanceof ApiError ? error.message : "Something went wrong. Try again."}
    </p>
  );
}

/** Why a schema could not be checked. No React. */

import { ApiError } from "../../api/api-error";

/** The registry answers 422 where it can't read a schema; any other failure says nothing about the schema. */
export function checkFailure(error: unknown): string {
  const isInvalid = error instanceof ApiError && error.status === 422;
  return isInvalid ? "Invalid schema" : "Couldn't check the schema";
}

import { expect, it } from "vitest";
import { ApiError, unreachable } from "../../api/api-error";
import { checkFailure } from "./check-failure";

it("calls a schema invalid only where the registry did", () => {
  expect(checkFailure(new ApiError(422, "Invalid schema", "no type"))).toBe("Invalid schema");
  for (const error of [unreachable("POST"), new ApiError(403, "Forbidden", ""), new Error("?")])
    expect(checkFailure(error)).toBe("Couldn't check the schema");
});

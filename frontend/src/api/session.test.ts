import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { keys } from "./query-keys";
import { takeOver } from "./session";

it("who signs in where another's session ended sees nothing of what that one has read", () => {
  const client = new QueryClient();
  client.setQueryData(keys.session, null);
  client.setQueryData(keys.tokens, ["of ann"]);
  takeOver(client, "ann", "ann");
  expect(client.getQueryData(keys.tokens)).toEqual(["of ann"]);
  takeOver(client, "bob", "ann");
  expect(client.getQueryData(keys.tokens)).toBeUndefined();
  expect(client.getQueryData(keys.session)).toBeNull();
});

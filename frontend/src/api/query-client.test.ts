import { environmentManager, MutationObserver, onlineManager, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError, unreachable } from "./api-error";
import { createQueryClient, orUntilAnswered } from "./query-client";
import { keys } from "./query-keys";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  onlineManager.setOnline(true);
});

it("without a network requests are sent all the same: Weir may be on this machine", async () => {
  onlineManager.setOnline(false);
  const client = createQueryClient();
  const save = new MutationObserver(client, { mutationFn: () => Promise.resolve("saved") });
  expect(await save.mutate()).toBe("saved");
  expect(await client.fetchQuery({ queryKey: ["a"], queryFn: () => 1 })).toBe(1);
});

it("what nothing answered is read again by itself until something does", async () => {
  environmentManager.setIsServer(() => false);
  let asked = 0;
  const queryFn = () => {
    asked += 1;
    return asked < 6 ? Promise.reject(unreachable("GET")) : Promise.resolve("there");
  };
  const observer = new QueryObserver(createQueryClient(), { queryKey: ["a"], queryFn });
  const leave = observer.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(observer.getCurrentResult().data).toBe("there");
  expect(asked).toBe(6);
  leave();
  environmentManager.setIsServer(() => true);
});

it("a query that is read once, or seldom, is read again until something answers", () => {
  const never = orUntilAnswered(false);
  expect(never({ state: { error: unreachable("GET") } })).toBe(5_000);
  expect(never({ state: { error: new ApiError(404, "Not found", "") } })).toBe(false);
  expect(orUntilAnswered(300_000)({ state: { error: null } })).toBe(300_000);
});

it("a request that is refused for want of a session asks for the session", async () => {
  const client = createQueryClient();
  client.setQueryData(keys.session, { username: "ann" });
  const refused = () => Promise.reject(new ApiError(401, "Not signed in", ""));
  await client.fetchQuery({ queryKey: ["a"], queryFn: refused }).catch(() => undefined);
  expect(client.getQueryState(keys.session)?.isInvalidated).toBe(true);
});

it("nobody is told that a write is sent again by itself", () => {
  expect(unreachable("GET").message).toContain("Retrying automatically");
  expect(unreachable("PUT").message).not.toContain("Retrying");
});

it("what only asks is not said to have changed something, though it is sent with a body", () => {
  const workspace = "/api/v1/workspaces/ops";
  const asked = ["documents/check", "jobs/j1/diff", "streams/s/records/check", "schemas/a%2Fb/check"];
  for (const path of asked)
    expect(unreachable("POST", `${workspace}/${path}`).message).toContain("Nothing was changed");
  const written = ["streams/s/records", "jobs", "documents/test-runs", "documents/preview/cancel"];
  for (const path of written)
    expect(unreachable("POST", `${workspace}/${path}`).message).toContain("may or may not have arrived");
});

it("a request that a role doesn't allow any more asks for the session, which has the role", async () => {
  const client = createQueryClient();
  client.setQueryData(keys.session, { username: "ann" });
  const refused = () => Promise.reject(new ApiError(403, "Forbidden", "", "NOT_ALLOWED"));
  await client.fetchQuery({ queryKey: ["a"], queryFn: refused }).catch(() => undefined);
  expect(client.getQueryState(keys.session)?.isInvalidated).toBe(true);
});

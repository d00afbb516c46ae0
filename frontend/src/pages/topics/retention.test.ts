import { expect, it } from "vitest";
import { changesOf, retentionText, type SettingsDraft } from "./retention";

const SEEN: SettingsDraft = { partitions: 2, hours: 24, cleanup: "delete" };

it("sends what a person has changed and nothing else, so that nobody's other setting is put back", () => {
  expect(changesOf(SEEN, SEEN)).toEqual({ partitions: null, retention_ms: null, cleanup: null });
  expect(changesOf(SEEN, { ...SEEN, partitions: 4 })).toEqual({
    partitions: 4,
    retention_ms: null,
    cleanup: null,
  });
  expect(changesOf(SEEN, { ...SEEN, hours: null, cleanup: "compact" })).toEqual({
    partitions: null,
    retention_ms: -1,
    cleanup: "compact",
  });
});

it("calls retention unknown that the cluster doesn't tell, and never unlimited", () => {
  const told = { retention_bytes: -1, max_message_bytes: 1, min_insync_replicas: 1 };
  expect(retentionText({ ...told, retention_ms: -1, cleanup: "delete" })).toBe("unlimited retention");
  expect(retentionText({ ...told, retention_ms: null, cleanup: null })).toBe("–");
});

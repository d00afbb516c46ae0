import { expect, it } from "vitest";
import {
  changesOf,
  hoursOf,
  lossesOf,
  retentionProblem,
  retentionText,
  settingsOf,
  type SettingsDraft,
} from "./retention";
import type { TopicDetail } from "../../api/types";

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

it("reads the form from the topic as it is now", () => {
  const settings = { retention_bytes: -1, max_message_bytes: 1, min_insync_replicas: 1 };
  const partitions = [{}, {}] as TopicDetail["partitions"];
  const told = { ...settings, retention_ms: 86_400_000, cleanup: "compact,delete" };
  expect(settingsOf({ partitions, settings: told })).toEqual({
    partitions: 2,
    hours: 24,
    cleanup: "compact,delete",
  });
});

it("calls retention unknown that the cluster doesn't tell, and never unlimited", () => {
  const told = { retention_bytes: -1, max_message_bytes: 1, min_insync_replicas: 1 };
  expect(retentionText({ ...told, retention_ms: -1, cleanup: "delete" })).toBe("unlimited retention");
  expect(retentionText({ ...told, retention_ms: null, cleanup: null })).toBe("–");
});

it("takes no retention of 0 hours, which deletes every record, and shows none as 0", () => {
  expect([null, 0.01, 24].map(retentionProblem)).toEqual(["", "", ""]);
  expect(retentionProblem(0)).toBe("At least 0.01. Leave empty for unlimited.");
  expect(hoursOf(1_000)).toBe(0.01);
});

it("names the records that a shorter retention deletes", () => {
  const older = "Kafka deletes the records that are older than 12 h.";
  expect(lossesOf(SEEN, { ...SEEN, hours: 12 })).toEqual([older]);
  expect(lossesOf({ ...SEEN, hours: null }, { ...SEEN, hours: 12 })).toEqual([older]);
  expect(lossesOf({ ...SEEN, cleanup: "compact", hours: 12 }, { ...SEEN, hours: 12 })).toEqual([older]);
  expect(lossesOf(SEEN, { ...SEEN, hours: 48, partitions: 4 })).toEqual([]);
  expect(lossesOf(SEEN, { ...SEEN, hours: null })).toEqual([]);
  expect(
    lossesOf({ ...SEEN, cleanup: "compact" }, { ...SEEN, cleanup: "compact", hours: 12 }),
    "one that only compacts deletes nothing by age",
  ).toEqual([]);
});

it("names the records that compaction deletes, where there was none", () => {
  const earlier = [expect.stringContaining("only the newest record of each key")];
  expect(lossesOf(SEEN, { ...SEEN, cleanup: "compact" })).toEqual(earlier);
  expect(lossesOf(SEEN, { ...SEEN, cleanup: "compact,delete" })).toEqual(earlier);
  expect(lossesOf({ ...SEEN, cleanup: "compact,delete" }, { ...SEEN, cleanup: "delete" })).toEqual([]);
});

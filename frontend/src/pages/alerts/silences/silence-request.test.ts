import { expect, test } from "vitest";
import { silenceRequest, type SilenceDraft } from "./silence-request";

const DRAFT: SilenceDraft = {
  about: "workspace",
  from: "2026-01-01T10:00",
  until: "2026-01-01T12:00",
  note: "Kafka upgrade",
};

test("times are sent as instants, with what the silence is about", () => {
  const body = {
    starts_at: new Date("2026-01-01T10:00").toISOString(),
    ends_at: new Date("2026-01-01T12:00").toISOString(),
    note: "Kafka upgrade",
  };
  expect(silenceRequest(DRAFT)).toEqual({ body });
  expect(silenceRequest({ ...DRAFT, about: "rule:7" })).toEqual({ body: { ...body, rule_id: "7" } });
  expect(silenceRequest({ ...DRAFT, about: "job:8" })).toEqual({ body: { ...body, job_id: "8" } });
});

test.each(["", "202026-01-01T10:00", "12345-01-01T10:00", "x"])("%o is no time: nothing is sent", (text) => {
  const wrong = "Enter a date and time.";
  expect(silenceRequest({ ...DRAFT, from: text })).toEqual({ wrong: { from: wrong } });
  expect(silenceRequest({ ...DRAFT, until: text })).toEqual({ wrong: { until: wrong } });
  expect(silenceRequest({ ...DRAFT, from: text, until: text })).toEqual({
    wrong: { from: wrong, until: wrong },
  });
});

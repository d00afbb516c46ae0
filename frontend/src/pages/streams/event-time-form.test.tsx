import { expect, it } from "vitest";
import { renderedInWorkspace } from "../../testing/rendered";
import { blankField, EMPTY_DRAFT, type StreamDraft } from "./contract-draft";
import { EventTimeForm } from "./event-time-form";

it.each(["kafka_timestamp", "corrected"] as const)(
  "a name that is another field's while it is typed breaks nothing (%s)",
  (kind) => {
    const fields = ["id", "amount", "id", ""].map((name) => ({ ...blankField(), name }));
    const draft: StreamDraft = { ...EMPTY_DRAFT, fields, eventTime: { kind } };
    const page = renderedInWorkspace(
      <EventTimeForm draft={draft} candidates={[]} change={() => undefined} />,
    );
    expect(page).toContain("Event time source");
  },
);

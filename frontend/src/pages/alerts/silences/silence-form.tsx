import { Button, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useAlertRules, useCreateSilence } from "../../../api/alerts";
import { useJobs } from "../../../api/jobs";
import { useLeave } from "../../../drafts/discard-draft";
import { localInputText, zoneId } from "../../../ui/format/times";
import { heldOpen, OpenDialog } from "../../../ui/open-dialog";
import { RequestError } from "../../../ui/request-error";
import { LAST_TIME, silenceRequest, type SilenceDraft } from "./silence-request";
import classes from "../alerts.module.css";

const HOUR_MS = 3_600_000;

function firstDraft(): SilenceDraft {
  const now = Date.now();
  return {
    about: "workspace",
    from: localInputText(new Date(now)),
    until: localInputText(new Date(now + 2 * HOUR_MS)),
    note: "",
  };
}

/** A silence from now on, or maintenance at a time to come. Times are in the person's zone. */
export function SilenceForm({ onClose }: { onClose: () => void }) {
  const [first] = useState(firstDraft);
  const [draft, setDraft] = useState(first);
  const { about, from, until, note } = draft;
  const change = (part: Partial<SilenceDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
  };
  const isChanged = JSON.stringify(draft) !== JSON.stringify(first);
  const { leave, question } = useLeave(isChanged, onClose, "Other silences aren't affected.");
  const rules = useAlertRules();
  const jobs = useJobs();
  const create = useCreateSilence();
  const request = silenceRequest(draft);
  const wrong = "wrong" in request ? request.wrong : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if ("body" in request) create.mutate(request.body, { onSuccess: onClose });
  };
  return (
    <OpenDialog
      onClose={leave}
      {...heldOpen(create.isPending)}
      size="lg"
      title={<strong>New silence</strong>}
    >
      {question}
      <form onSubmit={submit} className={classes["form"]}>
        <Select
          label="For"
          searchable
          data-autofocus
          openOnFocus={false}
          allowDeselect={false}
          data={[
            { value: "workspace", label: "Whole workspace" },
            {
              group: "Jobs",
              items:
                jobs.data?.results.map(({ id, name }) => ({ value: `job:${id}`, label: `Job ${name}` })) ??
                [],
            },
            {
              group: "Rules",
              items: rules.data?.results.map(({ id, name }) => ({ value: `rule:${id}`, label: name })) ?? [],
            },
          ]}
          value={about}
          onChange={(value) => {
            change({ about: value ?? "workspace" });
          }}
        />
        <div className={classes["pair"]}>
          <TextInput
            label={`From (${zoneId()})`}
            type="datetime-local"
            required
            max={LAST_TIME}
            value={from}
            error={wrong.from}
            onChange={(event) => {
              change({ from: event.currentTarget.value });
            }}
          />
          <TextInput
            label={`Until (${zoneId()})`}
            type="datetime-local"
            required
            max={LAST_TIME}
            value={until}
            error={wrong.until}
            onChange={(event) => {
              change({ until: event.currentTarget.value });
            }}
          />
        </div>
        <TextInput
          label="Note"
          placeholder="Kafka upgrade"
          maxLength={200}
          value={note}
          onChange={(event) => {
            change({ note: event.currentTarget.value });
          }}
        />
        <RequestError what="Couldn't create the silence" error={create.error} />
        <div className={classes["formActions"]}>
          <Button variant="default" disabled={create.isPending} onClick={leave}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create silence
          </Button>
        </div>
      </form>
    </OpenDialog>
  );
}

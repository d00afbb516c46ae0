import { Button, Code, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useCreateChannel } from "../../../api/alerts";
import type { AlertChannelKind, AlertSeverity } from "../../../api/types";
import { useLeave } from "../../../drafts/discard-draft";
import { CopyButton } from "../../../ui/copy-button";
import { heldOpen, OpenDialog } from "../../../ui/open-dialog";
import { RequestError } from "../../../ui/request-error";
import { SEVERITY_OPTIONS } from "../alert-state";
import { ADDRESSES, KIND_NAMES } from "./kinds";
import classes from "../alerts.module.css";

const KINDS = Object.entries(KIND_NAMES) as [AlertChannelKind, string][];

interface ChannelDraft {
  name: string;
  kind: AlertChannelKind;
  address: string;
  severity: AlertSeverity;
}

const FIRST: ChannelDraft = { name: "", kind: "slack", address: "", severity: "info" };

export function ChannelForm({ emailConfigured, onClose }: { emailConfigured: boolean; onClose: () => void }) {
  const [draft, setDraft] = useState(FIRST);
  const { name, kind, address, severity } = draft;
  const change = (part: Partial<ChannelDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
  };
  const isChanged = JSON.stringify(draft) !== JSON.stringify(FIRST);
  const { leave, question } = useLeave(isChanged, onClose, "Other channels aren't affected.");
  const create = useCreateChannel();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { name, kind, address, least_severity: severity },
      {
        onSuccess: ({ secret }) => {
          if (!secret) onClose();
        },
      },
    );
  };
  const secret = create.data?.secret;
  // A secret is shown once: a stray click must not lose it.
  const held = heldOpen(create.isPending || Boolean(secret));
  return (
    <OpenDialog onClose={leave} {...held} size="lg" title={<strong>New channel</strong>}>
      {question}
      {secret ? (
        <Created secret={secret} onClose={onClose} />
      ) : (
        <form onSubmit={submit} className={classes["form"]}>
          <TextInput
            label="Name"
            required
            data-autofocus
            maxLength={100}
            value={name}
            onChange={(event) => {
              change({ name: event.currentTarget.value });
            }}
          />
          <div className={classes["pair"]}>
            <Select
              label="Kind"
              allowDeselect={false}
              data={KINDS.map(([value, label]) => ({
                value,
                label: value === "email" && !emailConfigured ? `${label} (no SMTP server)` : label,
                disabled: value === "email" && !emailConfigured,
              }))}
              value={kind}
              onChange={(value) => {
                const found = KINDS.find(([one]) => one === value);
                if (found) change({ kind: found[0] });
              }}
            />
            <Select
              label="From severity"
              allowDeselect={false}
              data={SEVERITY_OPTIONS}
              value={severity}
              onChange={(value) => {
                const found = SEVERITY_OPTIONS.find((one) => one.value === value);
                if (found) change({ severity: found.value });
              }}
            />
          </div>
          <TextInput
            label={ADDRESSES[kind].label}
            required
            placeholder={ADDRESSES[kind].placeholder}
            description="Stored encrypted; never shown in full again."
            maxLength={2_000}
            autoComplete="off"
            value={address}
            onChange={(event) => {
              change({ address: event.currentTarget.value });
            }}
          />
          <RequestError what="Couldn't create the channel" error={create.error} />
          <div className={classes["formActions"]}>
            <Button variant="default" disabled={create.isPending} onClick={leave}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create channel
            </Button>
          </div>
        </form>
      )}
    </OpenDialog>
  );
}

function Created({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <div className={classes["form"]}>
      <p>
        Every request is signed with this secret (header <code>Weir-Signature</code>). Copy it now: it isn't
        shown again.
      </p>
      <div className={classes["secret"]}>
        <Code>{secret}</Code>
        <CopyButton text={secret} />
      </div>
      <div className={classes["formActions"]}>
        <Button onClick={onClose}>Done</Button>
      </div>
    </div>
  );
}

import { Button, Code, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useCreateChannel } from "../../../api/alerts";
import type { AlertChannelKind, AlertSeverity } from "../../../api/types";
import { CopyButton } from "../../../ui/copy-button";
import { heldOpen, OpenDialog } from "../../../ui/open-dialog";
import { RequestError } from "../../../ui/request-error";
import { SEVERITY_OPTIONS } from "../alert-state";
import { ADDRESSES, KIND_NAMES } from "./kinds";
import classes from "../alerts.module.css";

const KINDS = Object.entries(KIND_NAMES) as [AlertChannelKind, string][];

export function ChannelForm({ emailConfigured, onClose }: { emailConfigured: boolean; onClose: () => void }) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<AlertChannelKind>("slack");
  const [address, setAddress] = useState("");
  const [severity, setSeverity] = useState<AlertSeverity>("info");
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
    <OpenDialog onClose={onClose} {...held} size="lg" title={<strong>New channel</strong>}>
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
              setName(event.currentTarget.value);
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
                if (found) setKind(found[0]);
              }}
            />
            <Select
              label="From severity"
              allowDeselect={false}
              data={SEVERITY_OPTIONS}
              value={severity}
              onChange={(value) => {
                const found = SEVERITY_OPTIONS.find((one) => one.value === value);
                if (found) setSeverity(found.value);
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
              setAddress(event.currentTarget.value);
            }}
          />
          <RequestError what="Couldn't create the channel" error={create.error} />
          <div className={classes["formActions"]}>
            <Button variant="default" disabled={create.isPending} onClick={onClose}>
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

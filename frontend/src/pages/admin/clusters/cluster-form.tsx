import { Button, Checkbox, PasswordInput, Select, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../../api/client";
import { useCluster, useSaveCluster, useTestConnection } from "../../../api/clusters";
import type { Cluster } from "../../../api/types";
import { ChangedMeanwhile } from "../../../drafts/changed-meanwhile";
import { DiscardDraft } from "../../../drafts/discard-draft";
import type { Stored } from "../../../drafts/shared-draft";
import { useSharedDraft } from "../../../drafts/use-shared-draft";
import { counted } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { Badge } from "../../../ui/status";
import {
  connectionOf,
  draftOf,
  EMPTY_CONNECTION,
  keepsPassword,
  lacking,
  type ConnectionDraft,
} from "./connection-draft";
import { ConnectionTestResult } from "./connection-test";
import classes from "./clusters.module.css";

const MECHANISMS: readonly { value: ConnectionDraft["mechanism"]; label: string }[] = [
  { value: "", label: "None" },
  { value: "SCRAM-SHA-512", label: "SCRAM-SHA-512" },
  { value: "SCRAM-SHA-256", label: "SCRAM-SHA-256" },
  { value: "PLAIN", label: "PLAIN" },
];

/** Connection settings of a cluster. They are tested before they are saved. */
export function ClusterForm({ known: edited, onClose }: { known: Cluster | null; onClose: () => void }) {
  // A new one that is there while something more was written.
  const [created, setCreated] = useState<Cluster | null>(null);
  const known = edited ?? created;
  const shared = useSharedDraft<ConnectionDraft>(null, storedOf(known));
  const draft = shared.value;
  const trial = useTestConnection();
  const save = useSaveCluster(known?.id ?? null);
  const change = (part: Partial<ConnectionDraft>) => {
    trial.reset();
    if (!save.isPending) save.reset(); // its answer says what was saved
    shared.setValue((before) => ({ ...before, ...part }));
  };
  const missing = lacking(draft, known);
  const problem = (field: string) => errorOf(save.error ?? trial.error, field);
  const submit = () => {
    const revision = known && { revision: shared.original.revision };
    save.mutate(
      { name: draft.name, ...connectionOf(draft), ...revision },
      {
        onSuccess: (saved) => {
          if (shared.saved(draft, storedOf(saved))) onClose();
          else if (!edited) setCreated(saved);
        },
      },
    );
  };
  return (
    <Panel title={known ? `Edit ${known.name}` : "Add cluster"}>
      {!save.isPending && <ChangedMeanwhile draft={shared} what="cluster" />}
      <form
        className={classes["form"]}
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          if (!missing) trial.mutate({ ...connectionOf(draft), cluster: known?.id ?? null });
        }}
      >
        <div className={classes["row"]}>
          <TextInput
            label="Name"
            description="Display name"
            required
            value={draft.name}
            error={problem("name")}
            onChange={(e) => {
              change({ name: e.currentTarget.value });
            }}
          />
          <TextInput
            label="Bootstrap servers"
            description="host:port, comma-separated"
            required
            value={draft.bootstrap}
            error={problem("bootstrap")}
            onChange={(e) => {
              change({ bootstrap: e.currentTarget.value });
            }}
          />
        </div>
        <div className={classes["row"]}>
          <Select
            label="Authentication"
            description="SASL mechanism"
            allowDeselect={false}
            data={[...MECHANISMS]}
            value={draft.mechanism}
            error={problem("mechanism")}
            onChange={(value) => {
              change({ mechanism: MECHANISMS.find((one) => one.value === value)?.value ?? "" });
            }}
          />
          {draft.mechanism && (
            <TextInput
              label="User name"
              description="User on the Kafka cluster"
              autoComplete="off"
              value={draft.username}
              error={problem("username")}
              onChange={(e) => {
                change({ username: e.currentTarget.value });
              }}
            />
          )}
          {draft.mechanism && (
            <PasswordInput
              size="xs"
              label="Password"
              description={passwordText(draft, known)}
              autoComplete="new-password"
              value={draft.password}
              error={problem("password")}
              onChange={(e) => {
                change({ password: e.currentTarget.value });
              }}
            />
          )}
        </div>
        <Checkbox
          label="Use TLS"
          checked={draft.tls}
          onChange={(e) => {
            change({ tls: e.currentTarget.checked });
          }}
        />
        {draft.tls && (
          <Textarea
            label="CA certificates (PEM)"
            description="Leave empty to use the system's trusted CAs"
            autosize
            minRows={2}
            maxRows={6}
            value={draft.ca}
            error={problem("ca")}
            onChange={(e) => {
              change({ ca: e.currentTarget.value });
            }}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12 } }}
          />
        )}
        {known && <UsedBy id={known.id} />}
        <div className={classes["buttons"]}>
          <Button
            type="submit"
            variant={trial.data?.ok ? "default" : "filled"}
            disabled={missing !== null}
            loading={trial.isPending}
          >
            Test connection
          </Button>
          <Button
            variant={trial.data?.ok ? "filled" : "default"}
            disabled={missing !== null || !draft.name || !trial.data?.ok || shared.newer !== null}
            loading={save.isPending}
            onClick={submit}
          >
            Save
          </Button>
          <DiscardDraft changed={shared.changed} onDiscard={onClose} subtle>
            {known ? "The saved cluster isn't affected." : "Other clusters aren't affected."}
          </DiscardDraft>
          {missing && draft.bootstrap && <span className="soft">{missing}</span>}
        </div>
      </form>
      {trial.isPending && (
        <p role="status" className="soft">
          Testing… This can take up to 15 s.
        </p>
      )}
      {trial.data && <ConnectionTestResult trial={trial.data} />}
      <FormError error={save.error ?? trial.error} />
    </Panel>
  );
}

function storedOf(known: Cluster | null): Stored<ConnectionDraft> {
  return { revision: known?.revision ?? 0, value: known ? draftOf(known) : EMPTY_CONNECTION, by: "" };
}

function passwordText(draft: ConnectionDraft, known: Cluster | null): string {
  if (!known?.password_set_at) return "Stored encrypted; can't be viewed later";
  return keepsPassword(draft, known)
    ? "Leave empty to keep the current password"
    : "Re-enter the password: connection settings changed";
}

function UsedBy({ id }: { id: string }) {
  const cluster = useCluster(id);
  const users = cluster.data?.used_by ?? [];
  if (!users.length) return null;
  const jobs = [...new Set(users.flatMap(({ jobs: names }) => names))];
  const restart = jobs.length === 1 ? "restarts" : "restart";
  return (
    <p className="soft">
      Used by {counted(users.length, "stream")}
      {jobs.length > 0 && `; ${jobs.join(", ")} ${restart} between batches on the new connection`}.
    </p>
  );
}

function FormError({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <p role="alert">
      <Badge tone="bad" plain>
        Failed
      </Badge>{" "}
      {error instanceof ApiError ? error.message : "Unexpected server response."}
    </p>
  );
}

function errorOf(error: unknown, field: string): string | null {
  if (!(error instanceof ApiError)) return null;
  return (
    error.fields[field]?.join(" ") ?? error.problems.find(({ path }) => path[0] === field)?.message ?? null
  );
}

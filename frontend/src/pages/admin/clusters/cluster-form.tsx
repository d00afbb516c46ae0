import { Button, Checkbox, PasswordInput, Select, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../../api/client";
import { useCluster, useSaveCluster, useTestConnection } from "../../../api/clusters";
import type { Cluster } from "../../../api/types";
import { counted } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { Badge } from "../../../ui/status";
import { connectionOf, draftOf, EMPTY_CONNECTION, keepsPassword, lacking, type ConnectionDraft } from "./connection-draft";
import { ConnectionTestResult } from "./connection-test";
import classes from "./clusters.module.css";

const MECHANISMS: readonly { value: ConnectionDraft["mechanism"]; label: string }[] = [
  { value: "", label: "No user" },
  { value: "SCRAM-SHA-512", label: "SCRAM-SHA-512" },
  { value: "SCRAM-SHA-256", label: "SCRAM-SHA-256" },
  { value: "PLAIN", label: "PLAIN" },
];

/** How a cluster is reached. It is tried before it is saved. */
export function ClusterForm({ known, onClose }: { known: Cluster | null; onClose: () => void }) {
  const [draft, setDraft] = useState<ConnectionDraft>(() => (known ? draftOf(known) : EMPTY_CONNECTION));
  const trial = useTestConnection();
  const save = useSaveCluster(known?.id ?? null);
  const change = (part: Partial<ConnectionDraft>) => { trial.reset(); save.reset(); setDraft((before) => ({ ...before, ...part })); };
  const missing = lacking(draft, known);
  const problem = (field: string) => faultOf(save.error ?? trial.error, field);
  const submit = () => { save.mutate({ name: draft.name, ...connectionOf(draft) }, { onSuccess: onClose }); };
  return (
    <Panel title={known ? `Change ${known.name}` : "Add a cluster"}>
      <form className={classes["form"]} autoComplete="off" onSubmit={(event) => { event.preventDefault(); if (!missing) trial.mutate({ ...connectionOf(draft), cluster: known?.id ?? null }); }}>
        <div className={classes["row"]}>
          <TextInput label="Name" description="What people call it" required value={draft.name} error={problem("name")} onChange={(e) => { change({ name: e.currentTarget.value }); }} />
          <TextInput label="Bootstrap servers" description="host:port, more with commas" required value={draft.bootstrap} error={problem("bootstrap")} onChange={(e) => { change({ bootstrap: e.currentTarget.value }); }} />
        </div>
        <div className={classes["row"]}>
          <Select label="User" description="How it is authenticated" allowDeselect={false} data={[...MECHANISMS]} value={draft.mechanism} error={problem("mechanism")} onChange={(value) => { change({ mechanism: MECHANISMS.find((one) => one.value === value)?.value ?? "" }); }} />
          {draft.mechanism && <TextInput label="User name" description="As the cluster knows it" autoComplete="off" value={draft.username} error={problem("username")} onChange={(e) => { change({ username: e.currentTarget.value }); }} />}
          {draft.mechanism && <PasswordInput size="xs" label="Password" description={passwordText(draft, known)} autoComplete="new-password" value={draft.password} error={problem("password")} onChange={(e) => { change({ password: e.currentTarget.value }); }} />}
        </div>
        <Checkbox label="TLS: the connection is encrypted and the broker proves who it is" checked={draft.tls} onChange={(e) => { change({ tls: e.currentTarget.checked }); }} />
        {draft.tls && <Textarea label="Certificates of the authority" description="PEM; empty: the authorities that this machine trusts" autosize minRows={2} maxRows={6} value={draft.ca} error={problem("ca")} onChange={(e) => { change({ ca: e.currentTarget.value }); }} styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12 } }} />}
        {known && <UsedBy id={known.id} />}
        <div className={classes["buttons"]}>
          <Button type="submit" variant={trial.data?.ok ? "default" : "filled"} disabled={missing !== null} loading={trial.isPending}>Try the connection</Button>
          <Button variant={trial.data?.ok ? "filled" : "default"} disabled={missing !== null || !draft.name || !trial.data?.ok} loading={save.isPending} onClick={submit}>Save</Button>
          <Button variant="subtle" color="gray" onClick={onClose}>Cancel</Button>
          {missing && draft.bootstrap && <span className="soft">{missing}</span>}
        </div>
      </form>
      {trial.isPending && <p role="status" className="soft">Trying; this takes up to 15 s when nothing answers.</p>}
      {trial.data && <ConnectionTestResult trial={trial.data} />}
      <Refusal error={save.error ?? trial.error} />
    </Panel>
  );
}

function passwordText(draft: ConnectionDraft, known: Cluster | null): string {
  if (!known?.password_set_at) return "Sealed when it is saved; nobody can read it again";
  return keepsPassword(draft, known) ? "Empty: the one that is set stays" : "Again, please: the one that is set was given for another connection";
}

function UsedBy({ id }: { id: string }) {
  const cluster = useCluster(id);
  const users = cluster.data?.used_by ?? [];
  if (!users.length) return null;
  const jobs = [...new Set(users.flatMap(({ jobs: names }) => names))];
  return <p className="soft">{counted(users.length, "stream")} on it{jobs.length > 0 && `; ${jobs.join(", ")} ${jobs.length === 1 ? "stops" : "stop"} at a batch's end when the connection changes and ${jobs.length === 1 ? "goes" : "go"} on with the new one`}.</p>;
}

function Refusal({ error }: { error: unknown }) {
  if (!error) return null;
  return <p role="alert"><Badge tone="bad" plain>Not possible</Badge> {error instanceof ApiError ? error.message : "The server's answer made no sense."}</p>;
}

function faultOf(error: unknown, field: string): string | null {
  if (!(error instanceof ApiError)) return null;
  return error.fields[field]?.join(" ") ?? error.problems.find(({ path }) => path[0] === field)?.message ?? null;
}

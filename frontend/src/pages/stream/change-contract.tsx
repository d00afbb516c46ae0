import { Button } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../api/client";
import { useChangeContract, useContractImpact, useSubject } from "../../api/schemas";
import type { Contract, Stream } from "../../api/types";
import { Confirm } from "../../ui/confirm";
import { Panel } from "../../ui/page";
import { Mark } from "../../ui/status";
import { broken, ImpactList } from "../schemas/impact-list";
import { changedContract, draftOf, subjectOf, withColumns, withEncoding, withInference, type StreamDraft } from "../streams/contract-draft";
import { missingOfEncoding } from "../streams/encoding-draft";
import { EncodingForm } from "../streams/encoding-form";
import { FieldsForm } from "../streams/fields-form";
import { FieldsSource } from "../streams/fields-source";
import classes from "./stream.module.css";

/** Other fields for a stream, or another format: what that does to its jobs is shown first, and those that break must be confirmed by name. */
export function ChangeContract({ stream, onClose }: { stream: Stream; onClose: () => void }) {
  const [draft, setDraft] = useState<StreamDraft>(() => draftOf(stream));
  const [recoded, setRecoded] = useState(false);
  const [asked, setAsked] = useState(false);
  const impact = useContractImpact(stream.name);
  const save = useChangeContract(stream.name);
  const contract: Contract = changedContract(stream.contract, draft, recoded);
  const send = (force: boolean) => { save.mutate({ contract, force }, { onSuccess: onClose }); };
  const submit = () => {
    impact.mutate(contract, { onSuccess: ({ effects }) => { if (broken(effects).length) setAsked(true); else send(false); } });
  };
  const error = impact.error ?? save.error;
  const lacking = recoded ? missingOfEncoding(draft.encoding) : null;
  const names = broken(impact.data?.effects ?? []);
  return (
    <Panel title={recoded ? "Change format and fields" : "Change the fields"} flush>
      {recoded ? (
        <>
          <div className={classes["more"]}><EncodingForm draft={draft.encoding} change={(encoding) => { setDraft((before) => withEncoding(before, encoding)); }} /></div>
          <FieldsSource draft={draft} change={setDraft} onInferred={(found) => { setDraft((before) => withInference(before, found)); }} contract={stream.contract} />
        </>
      ) : (
        <>
          <div className={classes["looked"]}><Button variant="default" onClick={() => { setRecoded(true); }}>Read it in another format</Button></div>
          <NewestVersion stream={stream} draft={draft} change={setDraft} />
        </>
      )}
      <FieldsForm draft={draft} change={(part) => { setDraft((before) => ({ ...before, ...part })); }} inference={null} />
      <div className={classes["more"]}>
        <div className={classes["bar"]}>
          <Button variant="default" disabled={lacking !== null} loading={impact.isPending} onClick={() => { impact.mutate(contract); }}>See what it does</Button>
          <Button disabled={lacking !== null} loading={save.isPending} onClick={submit}>Save</Button>
          <Button variant="subtle" color="gray" onClick={onClose}>Cancel</Button>
          {lacking && <span className="soft">{lacking}</span>}
        </div>
        {error && !asked && <p role="alert"><Mark tone="bad" plain>Not saved</Mark> {error instanceof ApiError ? error.message : ""}</p>}
        {impact.data && <div role="status"><ImpactList effects={impact.data.effects} /></div>}
        <p className="soft">Jobs that run go on with the fields they began with; they see the new ones at their next start.</p>
      </div>
      <Confirm opened={asked} onClose={() => { setAsked(false); }} title="Save it all the same?" verb="Save all the same" busy={save.isPending} error={save.error} onConfirm={() => { send(true); }}>
        <p>It breaks {names.join(", ")}: they go on as they run, but cannot start again until their documents are changed.</p>
      </Confirm>
    </Panel>
  );
}

/** A stream of a subject takes its fields from the newest version. */
function NewestVersion({ stream, draft, change }: { stream: Stream; draft: StreamDraft; change: (draft: StreamDraft) => void }) {
  const named = subjectOf(stream.contract);
  const subject = useSubject(named ?? "", named !== null);
  const newest = subject.data?.versions[0];
  if (!named || !newest) return null;
  const columns = stream.contract.format === "debezium" ? newest.row_fields : newest.fields;
  return (
    <div className={classes["looked"]}>
      <span>The subject {named} has version {newest.version} as its newest; saving reads the stream by it. </span>
      {columns.length > 0 && <Button variant="default" onClick={() => { change(withColumns(draft, columns, stream.contract)); }}>Take its fields</Button>}
    </div>
  );
}

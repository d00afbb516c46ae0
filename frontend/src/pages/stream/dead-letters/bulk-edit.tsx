import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../../api/client";
import { useEditPreview, useRedrive, type Selection } from "../../../api/dead-letters";
import type { EditedSample, Stream } from "../../../api/types";
import { count, counted } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { Badge } from "../../../ui/status";
import { NEW_OPERATION, operationsOf, type Draft } from "./edit-operations";
import { OperationRow } from "./operation-row";
import { RedriveTarget } from "./redrive-target";
import table from "../../../ui/table.module.css";
import classes from "../stream.module.css";

const MAX_OPERATIONS = 20;
const SHOWN = 6;

/** The same steps for every letter of a group, tried on the newest ones before anything is sent. */
export function BulkEdit({ stream, choice, letters, onClose }: { stream: Stream; choice: Selection; letters: number; onClose: () => void }) {
  const preview = useEditPreview(stream.name);
  const redrive = useRedrive(stream.name);
  const [drafts, setDrafts] = useState<readonly Draft[]>([NEW_OPERATION]);
  const [to, setTo] = useState(stream.name);
  const [rate, setRate] = useState(100);
  const [tried, setTried] = useState("");
  const steps = operationsOf(drafts);
  const body = steps && { all: false, ...choice, to: to === stream.name ? null : to, edit: steps };
  const isTried = body !== null && JSON.stringify(body) === tried && preview.data !== undefined;
  const change = (at: number, step: Draft) => { setDrafts(drafts.map((draft, index) => (index === at ? step : draft))); };
  const error = preview.error ?? redrive.error;
  return (
    <Modal opened onClose={onClose} size="xl" title={<strong>Edit {counted(letters, "letter")} and send them again</strong>}>
      <form className={classes["produce"]} onSubmit={(event) => { event.preventDefault(); if (body) preview.mutate(body, { onSuccess: () => { setTried(JSON.stringify(body)); } }); }}>
        <p className="soft">Every letter is changed in the same way, in this order. Those that fit the contract then are sent, each once; the others wait here and say why.</p>
        {drafts.map((step, index) => (
          <OperationRow key={index} step={step} number={index + 1} onChange={(next) => { change(index, next); }} {...(drafts.length > 1 && { onRemove: () => { setDrafts(drafts.filter((_, at) => at !== index)); } })} />
        ))}
        <div className={classes["bar"]}>
          <Button variant="default" disabled={drafts.length >= MAX_OPERATIONS} leftSection={<Icon name="plus" size={14} />} onClick={() => { setDrafts([...drafts, NEW_OPERATION]); }}>Another step</Button>
        </div>
        <RedriveTarget stream={stream} to={to} onTo={setTo} rate={rate} onRate={setRate} />
        {isTried && <Samples waiting={preview.data.waiting} looked={preview.data.looked} fit={preview.data.fit} samples={preview.data.samples} />}
        {error ? <p role="alert"><Badge tone="bad" plain>Not done</Badge> {error instanceof ApiError ? error.message : "Something went wrong. Try again."}</p> : null}
        <div className={classes["bar"]}>
          <Button type="submit" variant={isTried ? "default" : "filled"} disabled={!body} loading={preview.isPending}>Try it on the newest letters</Button>
          <Button disabled={!isTried || preview.data.fit === 0} loading={redrive.isPending} onClick={() => { if (body) redrive.mutate({ ...body, rate }, { onSuccess: onClose }); }}>Edit and send {counted(letters, "letter")}</Button>
          <Button variant="default" onClick={onClose}>Cancel</Button>
        </div>
        {!isTried && <p className="soft">Nothing is sent before these steps were tried.</p>}
      </form>
    </Modal>
  );
}

function Samples({ waiting, looked, fit, samples }: { waiting: number; looked: number; fit: number; samples: readonly EditedSample[] }) {
  const shown = [...samples].sort((a, b) => Number(a.fits) - Number(b.fits)).slice(0, SHOWN);
  if (!looked) return <p role="status">None of the {counted(waiting, "letter")} could be read just now: Kafka no longer keeps them, or they lie too far apart. Try again.</p>;
  return (
    <div>
      <p role="status">
        <Badge tone={fit === looked ? "good" : fit > 0 ? "warn" : "bad"} plain>{count(fit)} of the newest {count(looked)} would be sent</Badge>{fit < looked && "; those that would not come first"}
      </p>
      <div className={table["scroll"]} tabIndex={0} role="region" aria-label="Before and after">
        <table className={table["table"]} aria-label="Samples">
          <thead><tr><th scope="col">Place</th><th scope="col">Before</th><th scope="col">After</th><th scope="col">Then</th></tr></thead>
          <tbody>
            {shown.map((sample) => (
              <tr key={sample.id}>
                <td className="nowrap">{sample.partition} : {count(sample.offset)}</td>
                <td className={classes["whole"]}>{sample.before === null ? "null" : sample.before_is_text ? sample.before || <span className="soft">empty</span> : <span className="soft">bytes</span>}</td>
                <td className={classes["whole"]}>{sample.after ?? <span className="soft">as before</span>}</td>
                <td>{sample.fits ? <Badge tone="good" plain>Is sent</Badge> : <><Badge tone="bad" plain>Waits</Badge> {sample.why}</>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

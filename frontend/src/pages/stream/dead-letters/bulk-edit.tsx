import { Button } from "@mantine/core";
import { useState } from "react";
import { useEditPreview, useRedrive, type Selection } from "../../../api/dead-letters";
import type { EditedSample, Stream } from "../../../api/types";
import { useLeave } from "../../../drafts/discard-draft";
import { count, counted } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { heldOpen, OpenDialog } from "../../../ui/open-dialog";
import { Badge } from "../../../ui/status";
import { NEW_OPERATION, operationsOf, type Draft } from "./edit-operations";
import { OperationRow } from "./operation-row";
import { RedriveTarget } from "./redrive-target";
import table from "../../../ui/table.module.css";
import { RequestError } from "../../../ui/request-error";
import classes from "../stream.module.css";

const MAX_OPERATIONS = 20;
const SHOWN = 6;

/** The same edits for every selected dead letter, previewed on the latest ones before anything is sent. */
export function BulkEdit({
  stream,
  choice,
  deadLetters,
  onClose,
}: {
  stream: Stream;
  choice: Selection;
  deadLetters: number;
  onClose: () => void;
}) {
  const preview = useEditPreview(stream.name);
  const redrive = useRedrive(stream.name);
  const [drafts, setDrafts] = useState<readonly Draft[]>([NEW_OPERATION]);
  const isChanged = JSON.stringify(drafts) !== JSON.stringify([NEW_OPERATION]);
  const { leave, question } = useLeave(isChanged, onClose, "The dead letters aren't affected.");
  const [to, setTo] = useState(stream.name);
  const [rate, setRate] = useState(100);
  const [tried, setTried] = useState("");
  const steps = operationsOf(drafts);
  const body = steps && { all: false, ...choice, to: to === stream.name ? null : to, edit: steps };
  const isTried = body !== null && JSON.stringify(body) === tried && preview.data !== undefined;
  const change = (at: number, step: Draft) => {
    setDrafts(drafts.map((draft, index) => (index === at ? step : draft)));
  };
  const error = preview.error ?? redrive.error;
  return (
    <OpenDialog
      onClose={leave}
      {...heldOpen(redrive.isPending)}
      size="xl"
      title={<strong>Edit and redrive {counted(deadLetters, "dead letter")}</strong>}
    >
      {question}
      <form
        className={classes["produce"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (body)
            preview.mutate(body, {
              onSuccess: () => {
                setTried(JSON.stringify(body));
              },
            });
        }}
      >
        <p className="soft">
          Applies these edits in order to every record. Valid ones are sent; the rest stay here with a reason.
        </p>
        {drafts.map((step, index) => (
          <OperationRow
            key={index}
            step={step}
            number={index + 1}
            onChange={(next) => {
              change(index, next);
            }}
            {...(drafts.length > 1 && {
              onRemove: () => {
                setDrafts(drafts.filter((_, at) => at !== index));
              },
            })}
          />
        ))}
        <div className={classes["bar"]}>
          <Button
            variant="default"
            disabled={drafts.length >= MAX_OPERATIONS}
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => {
              setDrafts([...drafts, NEW_OPERATION]);
            }}
          >
            Add edit
          </Button>
        </div>
        <RedriveTarget stream={stream} to={to} onTo={setTo} rate={rate} onRate={setRate} />
        {isTried && (
          <Samples tested={preview.data.tested} valid={preview.data.valid} samples={preview.data.samples} />
        )}
        <RequestError what="Failed" error={error} />
        <div className={classes["bar"]}>
          <Button
            type="submit"
            variant={isTried ? "default" : "filled"}
            disabled={!body}
            loading={preview.isPending}
          >
            Preview
          </Button>
          <Button
            disabled={!isTried || preview.data.valid === 0}
            loading={redrive.isPending}
            onClick={() => {
              if (body) redrive.mutate({ ...body, rate }, { onSuccess: onClose });
            }}
          >
            Edit and redrive {counted(deadLetters, "dead letter")}
          </Button>
          <Button variant="default" disabled={redrive.isPending} onClick={leave}>
            Cancel
          </Button>
        </div>
        {!isTried && <p className="soft">Preview the edits before you send.</p>}
      </form>
    </OpenDialog>
  );
}

function Samples({
  tested,
  valid,
  samples,
}: {
  tested: number;
  valid: number;
  samples: readonly EditedSample[];
}) {
  const shown = [...samples].sort((a, b) => Number(a.valid) - Number(b.valid)).slice(0, SHOWN);
  if (!tested) return <p role="status">Couldn't read any record (expired or too spread out). Try again.</p>;
  return (
    <div>
      <p role="status">
        <Badge tone={valid === tested ? "good" : valid > 0 ? "warn" : "bad"} plain>
          {count(valid)} of the latest {count(tested)} will be sent
        </Badge>
        {valid < tested && "; invalid ones are listed first"}
      </p>
      <div className={table["scroll"]} tabIndex={0} role="region" aria-label="Before and after">
        <table className={table["table"]} aria-label="Samples">
          <thead>
            <tr>
              <th scope="col">Partition:offset</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((sample) => (
              <tr key={sample.id}>
                <td className="nowrap">
                  {sample.partition} : {count(sample.offset)}
                </td>
                <td className={classes["fullWidth"]}>
                  {sample.before === null ? (
                    "null"
                  ) : sample.before_is_text ? (
                    sample.before || <span className="soft">empty</span>
                  ) : (
                    <span className="soft">bytes</span>
                  )}
                </td>
                <td className={classes["fullWidth"]}>
                  {sample.after ?? <span className="soft">unchanged</span>}
                </td>
                <td>
                  {sample.valid ? (
                    <Badge tone="good" plain>
                      Will be sent
                    </Badge>
                  ) : (
                    <>
                      <Badge tone="bad" plain>
                        Stays
                      </Badge>{" "}
                      {sample.error}
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

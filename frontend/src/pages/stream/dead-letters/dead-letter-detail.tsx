import { Button } from "@mantine/core";
import { useState } from "react";
import { useDeadLetter } from "../../../api/dead-letters";
import type { Stream, DeadLetterDetail } from "../../../api/types";
import { useHasRole } from "../../../api/workspace-context";
import { bytes } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { QueryResult } from "../../../ui/query-result";
import { Badge } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { hexLines } from "../hex";
import { keyShown } from "../record-views";
import { DiscardForm } from "./discard-form";
import { EditDeadLetter } from "./edit-dead-letter";
import { reasonText } from "./malformed-reasons";
import { RedriveForm } from "./redrive-form";
import classes from "../stream.module.css";

/** A dead letter in full: its bytes, its origin, the result of the current contract, and actions. */
export function DeadLetterDetailView({ stream, id }: { stream: Stream; id: number }) {
  const query = useDeadLetter(stream.name, id);
  return <QueryResult query={query} what="dead letter">{(letter) => <Whole stream={stream} letter={letter} />}</QueryResult>;
}

function Whole({ stream, letter }: { stream: Stream; letter: DeadLetterDetail }) {
  const key = keyShown({ ...letter, key_base64: letter.key_is_text ? null : letter.key });
  return (
    <div className={classes["detail"]}>
      <dl>
        <dt>From</dt><dd><code>{letter.topic}</code> partition {letter.partition}, offset {letter.offset}</dd>
        <dt>Reason</dt><dd><code>{letter.reason}</code> {reasonText(letter.reason)} <span className="soft">by {letter.rejected_by}</span></dd>
        <dt>Kafka timestamp</dt><dd><Time at={letter.timestamp} long /></dd>
        <dt>Key</dt><dd><pre className={classes["small"]} tabIndex={0}>{key.text}</pre>{key.note && <span className="soft">{key.note}</span>}</dd>
        <dt>Size</dt><dd>{bytes(letter.size)}{letter.truncated && ", truncated"}</dd>
        <dt>Current contract</dt>
        <dd>{letter.current_error ? <><Badge tone="bad" plain>{letter.current_error.reason}</Badge> {letter.current_error.detail}</> : <Badge tone="good" plain>Valid</Badge>}</dd>
        <dt>Headers</dt>
        <dd>{letter.headers.length ? letter.headers.map(({ name, value, value_is_text }, index) => <div key={index}><code>{name}: {value ?? "null"}</code>{!value_is_text && <span className="soft"> bytes, as base64</span>}</div>) : "none"}</dd>
      </dl>
      <div>
        <pre tabIndex={0}>{valueShown(letter)}</pre>
        <Actions stream={stream} letter={letter} />
      </div>
    </div>
  );
}

/** Text as is; bytes decoded where possible, and always in hex. */
function valueShown({ value, value_is_text, value_json }: DeadLetterDetail): string {
  if (value === null) return "null (a tombstone)";
  if (value_is_text) return value || " ";
  return value_json === null ? hexLines(value) : `${value_json}\n\n${hexLines(value)}`;
}

function Actions({ stream, letter }: { stream: Stream; letter: DeadLetterDetail }) {
  const [asked, setAsked] = useState<"redrive" | "edit" | "drop" | null>(null);
  const mayEdit = useHasRole("editor");
  if (!mayEdit || letter.state !== "waiting") return null;
  const close = () => { setAsked(null); };
  const choice = { ids: [letter.id] };
  return (
    <p>
      <span className={classes["bar"]}>
        <Button leftSection={<Icon name="edit" size={14} />} onClick={() => { setAsked("edit"); }}>Edit and redrive</Button>
        <Button variant="default" onClick={() => { setAsked("redrive"); }}>Redrive as is</Button>
        <Button variant="default" onClick={() => { setAsked("drop"); }}>Discard</Button>
      </span>
      {asked === "redrive" && <RedriveForm stream={stream} choice={choice} deadLetters={1} onClose={close} />}
      {asked === "edit" && <EditDeadLetter stream={stream} letter={letter} onClose={close} />}
      {asked === "drop" && <DiscardForm stream={stream} choice={choice} deadLetters={1} onClose={close} />}
    </p>
  );
}

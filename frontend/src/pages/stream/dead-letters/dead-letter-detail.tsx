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

/** One letter whole: its bytes, where it came from, what today's contract says of it, and what can be done. */
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
        <dt>Refused</dt><dd><code>{letter.reason}</code> {reasonText(letter.reason)} <span className="soft">by {letter.rejected_by}</span></dd>
        <dt>Arrived</dt><dd><Time at={letter.at} long /></dd>
        <dt>Key</dt><dd><pre className={classes["small"]} tabIndex={0}>{key.text}</pre>{key.note && <span className="soft">{key.note}</span>}</dd>
        <dt>Size</dt><dd>{bytes(letter.size)}{letter.truncated && ", of which only the beginning was kept"}</dd>
        <dt>Today</dt>
        <dd>{letter.now ? <><Badge tone="bad" plain>{letter.now.reason}</Badge> {letter.now.detail}</> : <Badge tone="good" plain>Fits the stream's present contract</Badge>}</dd>
        <dt>Headers</dt>
        <dd>{letter.headers.length ? letter.headers.map(({ name, value, value_is_text }, index) => <div key={index}><code>{name}: {value ?? "null"}</code>{!value_is_text && <span className="soft"> bytes, in base64</span>}</div>) : "none"}</dd>
      </dl>
      <div>
        <pre tabIndex={0}>{valueShown(letter)}</pre>
        <Actions stream={stream} letter={letter} />
      </div>
    </div>
  );
}

/** Text as it came; bytes as what they hold, where that can be read, and always as bytes. */
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
  const choice = { letters: [letter.id] };
  return (
    <p>
      <span className={classes["bar"]}>
        <Button leftSection={<Icon name="edit" size={14} />} onClick={() => { setAsked("edit"); }}>Edit and send again</Button>
        <Button variant="default" onClick={() => { setAsked("redrive"); }}>Send again as it is</Button>
        <Button variant="default" onClick={() => { setAsked("drop"); }}>Drop</Button>
      </span>
      {asked === "redrive" && <RedriveForm stream={stream} choice={choice} letters={1} onClose={close} />}
      {asked === "edit" && <EditDeadLetter stream={stream} letter={letter} onClose={close} />}
      {asked === "drop" && <DiscardForm stream={stream} choice={choice} letters={1} onClose={close} />}
    </p>
  );
}

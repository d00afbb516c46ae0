import { Button } from "@mantine/core";
import { useDeadLetter } from "../../../api/dead-letters";
import type { Stream, DeadLetterDetail } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { bytes } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { QueryResult } from "../../../ui/query-result";
import { Badge } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { hexLines } from "../hex";
import { keyShown } from "../record-views";
import { useOpenForm } from "./open-form";
import { reasonText } from "../../../ui/malformed-reasons";
import classes from "../stream.module.css";

/** A dead letter in full: its bytes, its origin, the result of the current contract, and actions. */
export function DeadLetterDetailView({ stream, id }: { stream: Stream; id: number }) {
  const query = useDeadLetter(stream.name, id);
  return (
    <QueryResult query={query} what="dead letter">
      {(deadLetter) => <Details deadLetter={deadLetter} />}
    </QueryResult>
  );
}

function Details({ deadLetter }: { deadLetter: DeadLetterDetail }) {
  const key = keyShown({ ...deadLetter, key_base64: deadLetter.key_is_text ? null : deadLetter.key });
  return (
    <div className={classes["detail"]}>
      <dl>
        <dt>From</dt>
        <dd>
          <code>{deadLetter.topic}</code> partition {deadLetter.partition}, offset {deadLetter.offset}
        </dd>
        <dt>Reason</dt>
        <dd>
          <code>{deadLetter.reason}</code> {reasonText(deadLetter.reason)}{" "}
          <span className="soft">by {deadLetter.rejected_by}</span>
        </dd>
        <dt>Kafka timestamp</dt>
        <dd>
          <Time at={deadLetter.timestamp} long />
        </dd>
        <dt>Key</dt>
        <dd>
          <pre className={classes["small"]} tabIndex={0}>
            {key.text}
          </pre>
          {key.note && <span className="soft">{key.note}</span>}
        </dd>
        <dt>Size</dt>
        <dd>
          {bytes(deadLetter.size)}
          {deadLetter.truncated && ", truncated"}
        </dd>
        <dt>Current contract</dt>
        <dd>
          {deadLetter.current_error ? (
            <>
              <Badge tone="bad" plain>
                {deadLetter.current_error.reason}
              </Badge>{" "}
              {deadLetter.current_error.detail}
            </>
          ) : (
            <Badge tone="good" plain>
              Valid
            </Badge>
          )}
        </dd>
        <dt>Headers</dt>
        <dd>
          {deadLetter.headers.length
            ? deadLetter.headers.map(({ name, value, value_is_text }, index) => (
                <div key={index}>
                  <code>
                    {name}: {value ?? "null"}
                  </code>
                  {!value_is_text && <span className="soft"> bytes, as base64</span>}
                </div>
              ))
            : "none"}
        </dd>
      </dl>
      <div>
        <pre tabIndex={0}>{valueShown(deadLetter)}</pre>
        <Actions deadLetter={deadLetter} />
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

function Actions({ deadLetter }: { deadLetter: DeadLetterDetail }) {
  const open = useOpenForm();
  const mayEdit = useMay("edit");
  if (!mayEdit || deadLetter.state !== "waiting") return null;
  const one = { choice: { ids: [deadLetter.id] }, deadLetters: 1 };
  return (
    <p>
      <span className={classes["bar"]}>
        <Button
          leftSection={<Icon name="edit" size={14} />}
          onClick={() => {
            open({ kind: "edit_one", deadLetter });
          }}
        >
          Edit and redrive
        </Button>
        <Button
          variant="default"
          onClick={() => {
            open({ kind: "redrive", ...one });
          }}
        >
          Redrive as is
        </Button>
        <Button
          variant="default"
          onClick={() => {
            open({ kind: "discard", ...one });
          }}
        >
          Discard
        </Button>
      </span>
    </p>
  );
}

import { useDebouncedValue } from "@mantine/hooks";
import { ApiError } from "../../api/client";
import { useSampleValidation } from "../../api/streams";
import { count, counted, share } from "../../ui/format/numbers";
import { Badge } from "../../ui/status";
import type { StreamDraft } from "./contract-draft";
import { contractOf, missingOfContract } from "./contract-request";
import classes from "./register.module.css";

/** How many sampled records fit the contract. Information only: the stream can be registered in any case. */
export function SampleFit({ draft }: { draft: StreamDraft }) {
  const [settled] = useDebouncedValue(draft, 600);
  const ready = !settled.create && settled.topic !== "" && missingOfContract(settled) === null;
  const { data, error, isPlaceholderData } = useSampleValidation(
    settled.cluster,
    settled.topic,
    ready ? contractOf(settled) : null,
  );
  if (!ready)
    return (
      <p className={classes["note"]}>
        {settled.create
          ? "New topics have no records to check."
          : "Complete the contract to check it against recent records."}
      </p>
    );
  if (error)
    return (
      <p className={classes["note"]}>
        {error instanceof ApiError ? error.message : "Couldn't read the sample."}
      </p>
    );
  if (!data) return <p className={classes["note"]}>Checking recent records…</p>;
  if (data.error !== null) return <p className={classes["note"]}>{data.error}</p>;
  const decoded = data.records - data.skipped;
  if (decoded === 0) return <p className={classes["note"]}>The topic has no records to check.</p>;
  const isBefore = isPlaceholderData || settled !== draft;
  const tone = data.valid === 0 ? "bad" : data.valid < decoded ? "warn" : "good";
  return (
    <div className={classes["note"]} role={data.valid === 0 ? "alert" : "status"}>
      <Badge tone={tone} plain>
        {data.valid === 0
          ? "No sampled record matches this contract"
          : `${share(data.valid / decoded)} of sampled records are valid`}
      </Badge>{" "}
      {isBefore && <span className="soft">Before your last change; checking again… </span>}
      <span>
        {count(data.valid)} of {counted(decoded, "record")} decoded, key and value.
      </span>
      {data.malformed.length > 0 && (
        <ul>
          {data.malformed.slice(0, 5).map(({ reason, records, detail, partition, offset }) => (
            <li key={reason}>
              <code>{reason}</code>: {counted(records, "record")}. {detail}{" "}
              {`(partition ${String(partition)}, offset ${String(offset)})`}
            </li>
          ))}
        </ul>
      )}
      {data.valid === 0 && <p>Jobs on this stream would get no rows. You can register it anyway.</p>}
    </div>
  );
}

import { useDebouncedValue } from "@mantine/hooks";
import { ApiError } from "../../api/client";
import { useFit } from "../../api/streams";
import { count, counted, share } from "../../ui/format/numbers";
import { Badge } from "../../ui/status";
import { contractOf, missingOfContract, type StreamDraft } from "./contract-draft";
import classes from "./register.module.css";

/** How many records of the topic would become rows, while there is time to change something. Nothing is refused because of it. */
export function SampleFit({ draft }: { draft: StreamDraft }) {
  const [settled] = useDebouncedValue(draft, 600);
  const ready = !settled.create && settled.topic !== "" && missingOfContract(settled) === null;
  const { data, error } = useFit(settled.cluster, settled.topic, ready ? contractOf(settled) : null);
  if (!ready) return <p className={classes["looked"]}>{settled.create ? "New topics have no records to check." : "Complete the contract to check it against recent records."}</p>;
  if (error) return <p className={classes["looked"]}>{error instanceof ApiError ? error.message : "Couldn't read the sample."}</p>;
  if (!data) return <p className={classes["looked"]}>Checking recent records…</p>;
  if (data.fault !== null) return <p className={classes["looked"]}>{data.fault}</p>;
  const judged = data.records - data.skipped;
  if (judged === 0) return <p className={classes["looked"]}>The topic has no records to check.</p>;
  const tone = data.fit === 0 ? "bad" : data.fit < judged ? "warn" : "good";
  return (
    <div className={classes["looked"]} role={data.fit === 0 ? "alert" : "status"}>
      <Badge tone={tone} plain>{data.fit === 0 ? "No sampled record matches this contract" : `${share(data.fit / judged)} of sampled records are valid`}</Badge>{" "}
      <span>{count(data.fit)} of {counted(judged, "record")} decoded, key and value.</span>
      {data.unfit.length > 0 && (
        <ul>
          {data.unfit.slice(0, 5).map(({ reason, records, detail, partition, offset }) => (
            <li key={reason}><code>{reason}</code>: {counted(records, "record")}. {detail} (partition {partition}, offset {offset})</li>
          ))}
        </ul>
      )}
      {data.fit === 0 && <p>Jobs on this stream would get no rows. You can register it anyway.</p>}
    </div>
  );
}

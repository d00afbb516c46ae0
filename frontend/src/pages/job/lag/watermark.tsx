import { useForecast, useMeasuredLoad } from "../../../api/documents";
import type { Job, JobLag, MeasuredLoad } from "../../../api/types";
import { loadOf, sizeText, totalBytes } from "../../../composer/forecast-text";
import type { LagFrame } from "../../../live/frames";
import { bytes, counted } from "../../../ui/format/numbers";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { Time } from "../../../ui/time";
import { sourceWatermarks } from "./source-watermarks";

/** Event-time progress and state beside its estimate, and where other tools find the positions. */
export function Watermark({ job, lag, frame }: { job: Job; lag: JobLag; frame: LagFrame | null }) {
  const size = frame?.state_bytes;
  return (
    <DescriptionList>
      <DescriptionItem label="Watermark" note="Windows ending before it are closed">
        {lag.watermark_us ? <Time at={new Date(lag.watermark_us / 1000)} long /> : "–"}
      </DescriptionItem>
      {sourceWatermarks(lag.sources).map(({ source, us, slowest }) => (
        <DescriptionItem
          key={source}
          label={`Watermark of ${source}`}
          note={slowest ? "Slowest source" : "Newest event time less its watermark delay"}
        >
          <Time at={new Date(us / 1000)} long />
        </DescriptionItem>
      ))}
      <DescriptionItem
        label="State"
        term="Step state"
        note={
          <>
            {size === null || size === undefined ? "–" : bytes(size)}
            {job.running_version === job.version && <StateEstimate text={job.document_text} />}
          </>
        }
      >
        {counted(frame?.state_rows, "row")}
      </DescriptionItem>
      <DescriptionItem label="Mirror group" note="Mirrors committed offsets for Kafka tools">
        <code>{lag.mirror_group ?? "–"}</code>
      </DescriptionItem>
    </DescriptionList>
  );
}

/** What the state would be at the measured rates and numbers of keys; nothing where one is unknown. */
function StateEstimate({ text }: { text: string }) {
  const measured = useMeasuredLoad(text).data;
  return measured ? <EstimatedSize text={text} measured={measured} /> : null;
}

/** Apart from the measurement, so that no size is asked for before there is one. */
function EstimatedSize({ text, measured }: { text: string; measured: MeasuredLoad }) {
  const load = loadOf(
    { rates: {}, key_counts: {} },
    measured,
    Object.keys(measured.rates),
    Object.keys(measured.key_counts),
  );
  const steps = useForecast(text, load).data?.steps ?? [];
  const total = steps.length > 0 ? totalBytes(steps) : null;
  return total === null ? null : <>; rows estimated at {sizeText({ bytes: total }, false)}</>;
}

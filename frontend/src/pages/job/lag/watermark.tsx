import type { LagFrame } from "../../../live/frames";
import { bytes, count } from "../../../ui/format/numbers";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { Time } from "../../../ui/time";

/** Event-time progress and state, and where other tools find the positions. */
export function Watermark({ frame, mirror }: { frame: LagFrame | null; mirror: string | null }) {
  return (
    <DescriptionList>
      <DescriptionItem label="Watermark" note="Windows ending before it are closed">
        {frame?.watermark_us ? <Time at={new Date(frame.watermark_us / 1000)} long /> : "–"}
      </DescriptionItem>
      <DescriptionItem
        label="State"
        term="Step state"
        note={
          frame?.state_bytes === null || frame?.state_bytes === undefined ? "–" : bytes(frame.state_bytes)
        }
      >
        {count(frame?.state_rows)} rows
      </DescriptionItem>
      <DescriptionItem label="Consumer group" note="Mirrors committed offsets for Kafka tools">
        <code>{mirror ?? "–"}</code>
      </DescriptionItem>
    </DescriptionList>
  );
}

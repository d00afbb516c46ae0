import { FieldProfiles } from "../../../composer/data/field-profiles";
import { useLateness, useStreamProfile } from "../../../api/samples";
import type { Stream, StreamProfile } from "../../../api/types";
import { count, counted } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { Time } from "../../../ui/time";
import { Disorder } from "./disorder";

const RECORDS = 5_000;

/** What the newest records of a stream are: values of its fields, and the order in which they come. */
export function ProfileTab({ stream }: { stream: Stream }) {
  const profile = useStreamProfile(stream.name);
  const lateness = useLateness(stream.name, RECORDS);
  return (
    <>
      <Panel title="Fields" flush aside={profile.data && <SampleText profile={profile.data} />}>
        <QueryResult query={profile} what="profile">
          {(found) => <FieldProfiles profile={found} />}
        </QueryResult>
      </Panel>
      <Panel title="Disorder" flush aside={<span className="soft">by event time, in the order written</span>}>
        <QueryResult query={lateness} what="disorder">
          {(found) =>
            found.records ? (
              <Disorder lateness={found} />
            ) : (
              <Empty title="No rows to compare">Write records to the topic first.</Empty>
            )
          }
        </QueryResult>
      </Panel>
    </>
  );
}

function SampleText({ profile: { rows, malformed, oldest, newest } }: { profile: StreamProfile }) {
  if (!oldest || !newest) return null;
  return (
    <span className="soft">
      {counted(rows, "row")}, {count(malformed)} malformed; <Time at={oldest} /> to <Time at={newest} />
    </span>
  );
}

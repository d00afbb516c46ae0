import { useState } from "react";
import { useStreamProfile } from "../../api/samples";
import { counted } from "../../ui/format/numbers";
import { QueryResult } from "../../ui/query-result";
import { FieldProfiles } from "./field-profiles";
import classes from "./data.module.css";

/**
 * What the newest records of a source hold, so that conditions are written against values that were seen.
 * Read when it is opened.
 *
 * @param stream registered name; empty while none is chosen
 */
export function SourceData({ stream }: { stream: string }) {
  const [isOpen, setOpen] = useState(false);
  if (!stream) return null;
  return (
    <details
      className={classes["data"]}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>Values in the newest records</summary>
      {isOpen && <OpenedData stream={stream} />}
    </details>
  );
}

function OpenedData({ stream }: { stream: string }) {
  const query = useStreamProfile(stream);
  return (
    <QueryResult query={query} what="values">
      {(profile) => (
        <>
          <p className="soft">Of {counted(profile.rows, "row")}.</p>
          <FieldProfiles profile={profile} />
        </>
      )}
    </QueryResult>
  );
}

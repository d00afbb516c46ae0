import type { FieldProfile, StreamProfile } from "../../api/types";
import { count, counted, share } from "../../ui/format/numbers";
import { Empty } from "../../ui/placeholders";
import { Table, type Column } from "../../ui/table";
import { Time } from "../../ui/time";
import { rangeText, topText, valueText } from "./value-text";
import classes from "./data.module.css";

function columns(rows: number): readonly Column<FieldProfile>[] {
  return [
    { name: "Field", cell: ({ name }) => <strong>{name}</strong> },
    { name: "Type", cell: ({ type }) => <code>{type}</code>, wideOnly: true },
    { name: "Null", numeric: true, cell: ({ nulls }) => (rows ? share(nulls / rows) : "–") },
    { name: "Distinct", numeric: true, cell: ({ distinct }) => count(distinct) },
    { name: "Range", cell: (field) => <Range field={field} /> },
    {
      name: "Most frequent",
      cell: (field) => <span className={classes["value"]}>{topText(field, rows)}</span>,
    },
    {
      name: "Newest value",
      wideOnly: true,
      cell: ({ type, example }) => <Value type={type} value={example} />,
    },
  ];
}

/** A timestamp in the reader's zone, everything else as JSON. */
function Value({ type, value }: { type: string; value: unknown }) {
  if (type === "timestamp" && typeof value === "string") return <Time at={value} long />;
  return <span className={classes["value"]}>{valueText(value)}</span>;
}

function Range({ field }: { field: FieldProfile }) {
  const { type, lowest, highest } = field;
  if (type !== "timestamp" || lowest === null)
    return <span className={classes["value"]}>{rangeText(field)}</span>;
  return (
    <>
      <Value type={type} value={lowest} /> … <Value type={type} value={highest} />
    </>
  );
}

/** What the values of each field are, in the newest records. */
export function FieldProfiles({ profile }: { profile: StreamProfile }) {
  if (!profile.rows)
    return (
      <Empty title="No rows to profile">
        {profile.records
          ? `${counted(profile.records, "record")} read, the newest: only malformed ones and deletions.`
          : "The topic has no records."}
      </Empty>
    );
  return (
    <Table
      label="Fields of the newest records"
      columns={columns(profile.rows)}
      rows={profile.fields}
      rowKey={({ name }) => name}
    />
  );
}

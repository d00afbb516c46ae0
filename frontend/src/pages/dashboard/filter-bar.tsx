import { MultiSelect, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { useReadRows } from "../../api/shared-results";
import type { DashboardDocument, FieldFilter } from "../../api/types";
import { zoneId } from "../../ui/format/times";
import { distinctValues } from "./frames";
import { filterFields, windowChoices, withFilter } from "./view-state";
import classes from "./dashboard.module.css";

export interface View {
  window: string;
  filters: readonly FieldFilter[];
}

interface FilterBarProps {
  document: DashboardDocument;
  view: View;
  onChange: (view: View) => void;
}

const MAX_CHOICES = 500;

/** Time window and filters, which hold for all panels. */
export function FilterBar({ document, view, onChange }: FilterBarProps) {
  return (
    <div className={classes["filters"]} role="group" aria-label="Time window and filters">
      <SegmentedControl
        aria-label="Time window (event time)"
        data={windowChoices(view.window).map(({ value, label }) => ({ value, label }))}
        value={view.window}
        onChange={(window) => {
          onChange({ ...view, window });
        }}
      />
      {filterFields(document).map((field) => (
        <FieldChoice
          key={field}
          field={field}
          document={document}
          values={view.filters.find((filter) => filter.field === field)?.values.map(String) ?? []}
          onChange={(values) => {
            onChange({ ...view, filters: withFilter(view.filters, field, values) });
          }}
        />
      ))}
      <span className={classes["zone"]}>Times in {zoneId()}</span>
    </div>
  );
}

interface FieldChoiceProps {
  field: string;
  document: DashboardDocument;
  values: string[];
  onChange: (values: string[]) => void;
}

function FieldChoice({ field, document, values, onChange }: FieldChoiceProps) {
  const read = useReadRows();
  const [choices, setChoices] = useState<readonly string[]>([]);
  const open = () => {
    const jobs = [...new Set(document.panels.map(({ job }) => job))];
    const found = jobs.flatMap((job) => distinctValues(read(job), field, MAX_CHOICES));
    setChoices([...new Set(found)].sort());
  };
  return (
    <MultiSelect
      aria-label={`Filter by ${field}`}
      placeholder={values.length ? "" : `${field}: all`}
      data={[...new Set([...choices, ...values])]}
      value={values}
      onDropdownOpen={open}
      onChange={onChange}
      searchable
      clearable
      maxValues={50}
      limit={100}
      nothingFoundMessage="No matching values"
      className={classes["choice"] ?? ""}
    />
  );
}

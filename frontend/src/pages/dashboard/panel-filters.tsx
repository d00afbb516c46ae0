import { ActionIcon, Button, Select, TagsInput } from "@mantine/core";
import { useReadRows } from "../../api/shared-results";
import type { FieldFilter } from "../../api/types";
import { Icon } from "../../ui/icons";
import { distinctValues } from "./frames";
import classes from "./dashboard.module.css";

interface FilterFieldsProps {
  filters: readonly FieldFilter[];
  /** names to choose from */
  fields: readonly string[];
  job: string;
  onChange: (filters: FieldFilter[]) => void;
}

const MAX_CHOICES = 200;

/** Rows whose fields have one of the values; on top of the filters of the dashboard. */
export function FilterFields({ filters, fields, job, onChange }: FilterFieldsProps) {
  const read = useReadRows();
  const replace = (index: number, next: FieldFilter) => {
    onChange(filters.map((filter, at) => (at === index ? next : filter)));
  };
  const free = fields.filter((name) => !filters.some(({ field }) => field === name));
  return (
    <fieldset style={{ border: 0, padding: 0, margin: 0, display: "grid", gap: 8 }}>
      <legend className="soft">Panel filters</legend>
      {filters.map((filter, index) => (
        <div key={filter.field} className={classes["threshold"]}>
          <Select
            label="Field"
            data={[filter.field, ...free]}
            value={filter.field}
            allowDeselect={false}
            onChange={(field) => {
              if (field) replace(index, { field, values: [] });
            }}
          />
          <TagsInput
            label="Values"
            data={distinctValues(read(job), filter.field, MAX_CHOICES)}
            value={filter.values.map(String)}
            onChange={(values) => {
              replace(index, { ...filter, values });
            }}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove filter on ${filter.field}`}
            onClick={() => {
              onChange(filters.filter((_, at) => at !== index));
            }}
          >
            <Icon name="trash" size={14} />
          </ActionIcon>
        </div>
      ))}
      {free[0] && filters.length < 10 && (
        <Button
          variant="default"
          w="fit-content"
          onClick={() => {
            onChange([...filters, { field: free[0] ?? "", values: [] }]);
          }}
        >
          Add filter
        </Button>
      )}
    </fieldset>
  );
}

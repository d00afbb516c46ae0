import { Switch, TagsInput } from "@mantine/core";
import { NumberField } from "../../ui/number-field";
import type { ReactNode } from "react";
import type { LiveOutput, Panel } from "../../api/types";
import { AggregationField, ManyFields, MaybeField, OneField } from "./field-inputs";
import { fieldsOf, type OutputFields } from "./panel-kinds";
import { FilterFields } from "./panel-filters";
import { ThresholdFields } from "./threshold-fields";
import classes from "./dashboard.module.css";

interface PanelFieldsProps {
  panel: Panel;
  output: LiveOutput;
  onChange: (panel: Panel) => void;
}

/** The fields of a panel's kind, with those of the result that fit. */
export function PanelFields({ panel, output, onChange }: PanelFieldsProps) {
  const fields = fieldsOf(output);
  return (
    <>
      <KindFields panel={panel} fields={fields} onChange={onChange} />
      {"unit" in panel && (
        <TagsInput
          label="Unit"
          description="%, bytes, ms and s are formatted; any other text is appended"
          data={["%", "bytes", "ms", "s"]}
          value={panel.unit ? [panel.unit] : []}
          maxTags={1}
          clearable
          onChange={(values) => {
            onChange({ ...panel, unit: (values.at(-1) ?? "").slice(0, 20) });
          }}
        />
      )}
      {"thresholds" in panel && (
        <ThresholdFields
          thresholds={panel.thresholds}
          onChange={(thresholds) => {
            onChange({ ...panel, thresholds });
          }}
        />
      )}
      <FilterFields
        filters={panel.filters}
        fields={fields.texts.map(({ name }) => name)}
        job={panel.job}
        onChange={(filters) => {
          onChange({ ...panel, filters });
        }}
      />
    </>
  );
}

interface KindFieldsProps {
  panel: Panel;
  fields: OutputFields;
  onChange: (panel: Panel) => void;
}

function KindFields({ panel, fields, onChange }: KindFieldsProps): ReactNode {
  /** Value of one member of a panel, and what changes it. */
  const member = <P extends Panel, K extends keyof P>(given: P, name: K) => ({
    value: given[name],
    onChange: (value: P[K]) => {
      onChange({ ...given, [name]: value });
    },
  });
  switch (panel.kind) {
    case "number":
      return (
        <>
          <OneField label="Value" fields={fields.numbers} {...member(panel, "value")} />
          <AggregationField {...member(panel, "aggregation")} />
          <MaybeField
            label="Time"
            hint="Shows the newest instant and its change. Empty: all rows"
            fields={fields.times}
            {...member(panel, "x")}
          />
        </>
      );
    case "top_list":
      return (
        <>
          <ManyFields label="Keys" fields={fields.texts} {...member(panel, "label")} />
          <OneField label="Value" fields={fields.numbers} {...member(panel, "value")} />
          <AggregationField {...member(panel, "aggregation")} />
          <MaybeField
            label="Time"
            hint="Only the newest instant. Empty: all rows"
            fields={fields.times}
            {...member(panel, "x")}
          />
          <NumberField
            label="Entries"
            min={1}
            max={50}
            value={panel.limit}
            allowDecimal={false}
            onChange={(limit) => {
              onChange({ ...panel, limit });
            }}
          />
        </>
      );
    case "state_timeline":
      return (
        <>
          <OneField label="Time" fields={fields.times} {...member(panel, "x")} />
          <OneField label="State" fields={fields.all} {...member(panel, "state")} />
          <ManyFields label="Lane per" fields={fields.texts} {...member(panel, "series")} />
        </>
      );
    case "table":
      return (
        <>
          <ManyFields
            label="Columns"
            fields={fields.all}
            value={panel.columns}
            most={12}
            onChange={(columns) => {
              if (columns.length) onChange({ ...panel, columns });
            }}
          />
          <MaybeField
            label="Order by"
            hint="Empty: the newest rows first"
            fields={fields.all}
            {...member(panel, "order_by")}
          />
          <Switch
            label="Largest first"
            checked={panel.descending}
            disabled={panel.order_by === null}
            onChange={(event) => {
              onChange({ ...panel, descending: event.currentTarget.checked });
            }}
          />
          <NumberField
            label="Rows"
            min={1}
            max={100}
            value={panel.limit}
            allowDecimal={false}
            onChange={(limit) => {
              onChange({ ...panel, limit });
            }}
          />
          <MaybeField
            label="Measured column"
            hint="Unit and thresholds are its"
            fields={fields.numbers}
            {...member(panel, "value")}
          />
        </>
      );
    case "map":
      return (
        <>
          <div className={classes["pair"]}>
            <OneField label="Longitude" fields={fields.numbers} {...member(panel, "longitude")} />
            <OneField label="Latitude" fields={fields.numbers} {...member(panel, "latitude")} />
          </div>
          <ManyFields label="Labels" fields={fields.texts} {...member(panel, "label")} />
          <MaybeField
            label="Size"
            hint="Empty: all points have the same size"
            fields={fields.numbers}
            {...member(panel, "value")}
          />
        </>
      );
    default:
      return (
        <>
          <OneField label="Time" fields={fields.times} {...member(panel, "x")} />
          <ManyFields
            label="Values"
            fields={fields.numbers}
            value={panel.y}
            most={4}
            onChange={(y) => {
              if (y.length) onChange({ ...panel, y });
            }}
          />
          <ManyFields label="Series per" fields={fields.texts} {...member(panel, "series")} />
          <AggregationField {...member(panel, "aggregation")} />
        </>
      );
  }
}

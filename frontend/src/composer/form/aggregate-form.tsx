import { Select, TagsInput, TextInput } from "@mantine/core";
import { Fields } from "../findings";
import { NamedExpressions } from "./named-expressions";
import type { ParametersProps } from "./step-form";
import { asText, asTexts } from "./values";
import { WindowForm } from "./window-form";
import classes from "../composer.module.css";

export function AggregateForm({ params, schema, set, wrong }: ParametersProps) {
  const by = params["by"];
  const named = typeof by === "object" && by !== null && !Array.isArray(by);
  const windowed = params["window"] !== undefined && params["window"] !== null;
  return (
    <div className={classes["form"]}>
      <WindowForm value={params["window"]} error={wrong("window")} onChange={(window) => { set(["window"], window); }} />
      <div className={classes["row"]}>
        {named ? (
          <NamedExpressions label="Group by" what="key" example="upper(symbol)" value={by} onChange={(value) => { set(["by"], value); }} wrong={(name) => wrong("by", name)} />
        ) : (
          <TagsInput size="xs" label="Group by" description="One result per value; none: one result for all rows" data={schema.map(({ name }) => name)} value={asTexts(by)} error={wrong("by")} onChange={(value) => { set(["by"], value); }} />
        )}
        {windowed && (
          <TextInput label="Grace" description="How long a closed window still takes rows" value={asText(params["grace"]) || "0s"} error={wrong("grace")} onChange={(e) => { set(["grace"], e.currentTarget.value || undefined); }} />
        )}
        {windowed && (
          <Select
            label="Results"
            description="Changing while rows come in, or once at the end"
            allowDeselect={false}
            data={[{ value: "update", label: "Whenever they change" }, { value: "final", label: "Once, when the window closes" }]}
            value={asText(params["emit"]) || "update"}
            error={wrong("emit")}
            onChange={(value) => { set(["emit"], value ?? undefined); }}
          />
        )}
      </div>
      <NamedExpressions label="Measures" what="measure" example="avg(price) where side = 'buy'" value={params["measures"]} onChange={(measures) => { set(["measures"], measures); }} wrong={(name) => wrong("measures", name)} />
      <Fields schema={[...schema]} />
    </div>
  );
}

import { Select, TagsInput, TextInput } from "@mantine/core";
import { Fields } from "../findings";
import { NamedExpressions } from "./named-expressions";
import type { ParametersProps } from "./step-form";
import { asText, asTexts } from "./values";
import { readWindow } from "../window";
import { WindowForm } from "./window-form";
import classes from "../composer.module.css";

const EMISSIONS = [{ value: "update", label: "Whenever they change" }, { value: "final", label: "Once, when the window closes" }];
const ONLY_FINAL: ReadonlySet<string> = new Set(["session", "sliding"]);

export function AggregateForm({ params, schema, set, wrong }: ParametersProps) {
  const by = params["by"];
  const named = typeof by === "object" && by !== null && !Array.isArray(by);
  const { kind } = readWindow(params["window"]);
  const windowed = kind !== "none";
  const emissions = ONLY_FINAL.has(kind) ? EMISSIONS.slice(1) : EMISSIONS;
  return (
    <div className={classes["form"]}>
      <WindowForm value={params["window"]} error={wrong("window")} onChange={(window) => { set(["window"], window); }} />
      <div className={classes["row"]}>
        {named ? (
          <NamedExpressions label="Group by" schema={schema} what="key" example="upper(symbol)" value={by} onChange={(value) => { set(["by"], value); }} wrong={(name) => wrong("by", name)} />
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
            data={emissions}
            value={asText(params["emit"]) || emissions[0]?.value || null}
            error={wrong("emit")}
            onChange={(value) => { set(["emit"], value ?? undefined); }}
          />
        )}
      </div>
      <NamedExpressions label="Measures" schema={schema} measures what="measure" example="avg(price) where side = 'buy'" value={params["measures"]} onChange={(measures) => { set(["measures"], measures); }} wrong={(name) => wrong("measures", name)} />
      <Fields schema={[...schema]} />
    </div>
  );
}

// What Grafana publishes of its dashboards' JSON (package @grafana/schema), as types of our panels' kinds.
// test_dashboards.py appends each board of deploy/grafana as a literal of `Board`, so that tsc also finds what
// Grafana doesn't know.
import type { Dashboard, FieldConfigSource, Panel, RowPanel, VariableModel } from "@grafana/schema";
import type * as stat from "@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen";
import type * as timeline from "@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen";
import type * as series from "@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen";

// Enums stand in JSON as their values, and what Grafana has a default for may be left out.
type Json<T> = T extends string
  ? `${T}`
  : T extends number | boolean | null | undefined
    ? T
    : T extends (infer Item)[]
      ? Json<Item>[]
      : T extends object
        ? { [Key in keyof T]: Json<T[Key]> }
        : T;

// The package has no query of Prometheus; these are the fields that its data source reads.
interface Query {
  refId: string;
  datasource: { type: "prometheus"; uid: "${datasource}" };
  expr: string;
  legendFormat: string;
  range: boolean;
  instant: boolean;
  format: "time_series" | "table" | "heatmap";
}

type Of<Kind extends string, Options, Custom> = Omit<Panel, "type" | "options" | "fieldConfig" | "targets"> & {
  type: Kind;
  options: Partial<Options>;
  fieldConfig: Omit<FieldConfigSource, "defaults"> & {
    defaults: Omit<FieldConfigSource["defaults"], "custom"> & { custom?: Partial<Custom> };
  };
  targets: Query[];
};

type OurPanel =
  | RowPanel
  | Of<"stat", stat.Options, Record<string, never>>
  | Of<"timeseries", series.Options, series.FieldConfig>
  | Of<"state-timeline", timeline.Options, timeline.FieldConfig>;

export type Board = Json<
  Omit<Dashboard, "panels" | "templating"> & {
    uid: string;
    title: string;
    panels: OurPanel[];
    templating: { list: (VariableModel & { definition?: string })[] };
  }
>;

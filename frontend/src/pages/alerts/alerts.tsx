import type { ReactNode } from "react";
import { Page, Tabs } from "../../ui/page";
import { NotFoundPage } from "../not-found";
import { AlertDetail } from "./alert-detail";
import { ChannelsTab } from "./channels/channels";
import { FiringTab } from "./firing";
import { HistoryTab } from "./history";
import { ObjectivesTab } from "./objectives/objectives";
import { RulesTab } from "./rules/rules";
import { SilencesTab } from "./silences/silences";

const TABS = [
  { path: "", label: "Firing" },
  { path: "history", label: "History" },
  { path: "rules", label: "Rules" },
  { path: "channels", label: "Channels" },
  { path: "silences", label: "Silences" },
  { path: "objectives", label: "Objectives" },
] as const;

const BODIES: Readonly<Record<string, ReactNode>> = {
  "": <FiringTab />,
  history: <HistoryTab />,
  rules: <RulesTab />,
  channels: <ChannelsTab />,
  silences: <SilencesTab />,
  objectives: <ObjectivesTab />,
};

export function AlertsPage({ tab }: { tab: string }) {
  const body = BODIES[tab];
  if (!body) return <NotFoundPage />;
  return (
    <Page title="Alerts">
      <Tabs base="/alerts" tabs={TABS} label="Parts of Alerts" />
      {body}
      <AlertDetail />
    </Page>
  );
}

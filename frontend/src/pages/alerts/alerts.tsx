import type { ReactNode } from "react";
import { Page, Tabs } from "../../ui/page";
import { ALERT_TABS, bodyOf, type Bodies } from "../../ui/shell/pages";
import { NotFoundPage } from "../not-found";
import { AlertDetail } from "./alert-detail";
import { ChannelsTab } from "./channels/channels";
import { FiringTab } from "./firing";
import { HistoryTab } from "./history";
import { ObjectivesTab } from "./objectives/objectives";
import { RulesTab } from "./rules/rules";
import { SilencesTab } from "./silences/silences";

const BODIES: Bodies<typeof ALERT_TABS, ReactNode> = {
  "": <FiringTab />,
  history: <HistoryTab />,
  rules: <RulesTab />,
  channels: <ChannelsTab />,
  silences: <SilencesTab />,
  objectives: <ObjectivesTab />,
};

export function AlertsPage({ tab }: { tab: string }) {
  const body = bodyOf(BODIES, tab);
  if (!body) return <NotFoundPage />;
  return (
    <Page title="Alerts">
      <Tabs base="/alerts" tabs={ALERT_TABS} label="Parts of Alerts" />
      {body}
      <AlertDetail />
    </Page>
  );
}

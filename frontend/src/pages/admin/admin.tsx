import type { ReactNode } from "react";
import { Page, Tabs } from "../../ui/page";
import { NotFoundPage } from "../not-found";
import { EnginesTab } from "./engines";
import { MembersTab } from "./members";
import { TokensTab } from "./tokens";

const TABS = [
  { path: "", label: "Members" },
  { path: "tokens", label: "Your tokens" },
  { path: "engines", label: "Engines and Kafka" },
] as const;

const BODIES: Readonly<Record<string, ReactNode>> = { "": <MembersTab />, tokens: <TokensTab />, engines: <EnginesTab /> };

export function AdminPage({ tab }: { tab: string }) {
  const body = BODIES[tab];
  if (!body) return <NotFoundPage what={`a page “${tab}” under Admin`} />;
  return (
    <Page title="Admin">
      <Tabs base="/admin" tabs={TABS} label="Parts of Admin" />
      {body}
    </Page>
  );
}

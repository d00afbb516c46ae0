import type { ReactNode } from "react";
import { Page, Tabs } from "../../ui/page";
import { NotFoundPage } from "../not-found";
import { useMay } from "../../api/workspace-context";
import { AuditTab } from "./audit/audit";
import { ClustersTab } from "./clusters/clusters";
import { EnginesTab } from "./engines";
import { MembersTab } from "./members";
import { OpenLineageTab } from "./openlineage/openlineage";
import { TokensTab } from "./tokens";

const TABS = [
  { path: "", label: "Members" },
  { path: "tokens", label: "Your tokens" },
  { path: "clusters", label: "Kafka clusters" },
  { path: "engines", label: "Engines" },
  { path: "openlineage", label: "OpenLineage" },
] as const;
const AUDIT = { path: "audit", label: "Audit trail" } as const;

const BODIES: Readonly<Record<string, ReactNode>> = {
  "": <MembersTab />,
  tokens: <TokensTab />,
  clusters: <ClustersTab />,
  engines: <EnginesTab />,
  openlineage: <OpenLineageTab />,
  audit: <AuditTab />,
};

export function AdminPage({ tab }: { tab: string }) {
  const mayAudit = useMay("read_audit_trail");
  const body = BODIES[tab];
  if (!body) return <NotFoundPage />;
  return (
    <Page title="Admin">
      <Tabs base="/admin" tabs={mayAudit ? [...TABS, AUDIT] : TABS} label="Parts of Admin" />
      {body}
    </Page>
  );
}

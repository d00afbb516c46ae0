import type { ReactNode } from "react";
import { Page, Tabs } from "../../ui/page";
import { ADMIN_TABS, allowed, bodyOf, type Bodies } from "../../ui/shell/pages";
import { NotFoundPage } from "../not-found";
import { useWorkspace } from "../../api/workspace-context";
import { AuditTab } from "./audit/audit";
import { ClustersTab } from "./clusters/clusters";
import { EnginesTab } from "./engines";
import { MembersTab } from "./members";
import { OpenLineageTab } from "./openlineage/openlineage";
import { TokensTab } from "./tokens";

const BODIES: Bodies<typeof ADMIN_TABS, ReactNode> = {
  "": <MembersTab />,
  tokens: <TokensTab />,
  clusters: <ClustersTab />,
  engines: <EnginesTab />,
  openlineage: <OpenLineageTab />,
  audit: <AuditTab />,
};

export function AdminPage({ tab }: { tab: string }) {
  const { rights } = useWorkspace();
  const body = bodyOf(BODIES, tab);
  if (!body) return <NotFoundPage />;
  return (
    <Page title="Admin">
      <Tabs base="/admin" tabs={allowed(ADMIN_TABS, rights)} label="Parts of Admin" />
      {body}
    </Page>
  );
}

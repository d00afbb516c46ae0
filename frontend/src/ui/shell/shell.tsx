import { useHotkeys } from "@mantine/hooks";
import { useState, type ReactNode } from "react";
import { AlertsContext, RunStatesContext, useAlertsFrame, useRunStates } from "../../api/live";
import { useAlertsKeptFresh } from "../../api/alerts";
import type { Session } from "../../api/types";
import { useKeptFocus } from "../kept-focus";
import { InvitationBanner } from "./invitation-banner";
import { ConnectionBanner } from "./connection-banner";
import { UserMenu } from "./user-menu";
import { SideNav } from "./side-nav";
import { Search } from "./search";
import { StorageBanner } from "./storage-banner";
import { WorkspaceSwitch } from "./workspace-switch";
import classes from "./shell.module.css";

/** Rail, workspace switch, search: what stays while pages change. */
export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const [searching, setSearching] = useState(false);
  const states = useRunStates();
  const alerts = useAlertsFrame();
  useAlertsKeptFresh(alerts);
  useKeptFocus();
  const open = () => {
    setSearching(true);
  };
  useHotkeys([
    ["/", open],
    ["shift+/", open], // as many keyboards have it
    ["mod+K", open, { preventDefault: true }],
  ]);
  return (
    <RunStatesContext value={states}>
      <AlertsContext value={alerts}>
        <a className="skip" href="#main">
          Skip to main content
        </a>
        <div className={classes["frame"]}>
          <aside className={classes["rail"]}>
            <WorkspaceSwitch session={session} />
            <SideNav onSearch={open} />
            <UserMenu session={session} />
          </aside>
          <div className={classes["body"]}>
            <ConnectionBanner />
            <StorageBanner />
            <InvitationBanner session={session} />
            {children}
          </div>
        </div>
        {searching && (
          <Search
            onClose={() => {
              setSearching(false);
            }}
          />
        )}
      </AlertsContext>
    </RunStatesContext>
  );
}

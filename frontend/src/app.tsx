import { lazy, Suspense, useEffect, useState } from "react";
import { Redirect, Route, Router, Switch, useLocation, useParams } from "wouter";
import { openSocket, SocketContext, useOpenSocket } from "./api/live";
import { useSession } from "./api/session";
import { HOME } from "./api/topics";
import type { Session } from "./api/types";
import { WorkspaceContext } from "./api/workspace-context";
import { AdminPage } from "./pages/admin/admin";
import { ConsumersPage } from "./pages/consumers/consumers";
import { GroupPage } from "./pages/consumers/group/group";
import { AlertsPage } from "./pages/alerts/alerts";
import { DashboardsPage } from "./pages/dashboards/dashboards";
import { JobPage } from "./pages/job/job";
import { JobsPage } from "./pages/jobs/jobs";
import { NotFoundPage } from "./pages/not-found";
import { OverviewPage } from "./pages/overview/overview";
import { SignInPage } from "./pages/sign-in";
import { NewSchemaPage } from "./pages/schemas/new-schema";
import { SchemasPage } from "./pages/schemas/schemas";
import { SubjectPage } from "./pages/schemas/subject";
import { StreamPage } from "./pages/stream/stream";
import { RegisterStreamPage } from "./pages/streams/register";
import { StreamsPage } from "./pages/streams/streams";
import { TopicPage } from "./pages/topic/topic";
import { TopicsPage } from "./pages/topics/topics";
import { nameOf, useNamedLocation, useNamedSearch } from "./ui/addresses";
import { ErrorBoundary } from "./ui/error-boundary";
import { InvitationBanner } from "./ui/shell/invitation-banner";
import { Shell } from "./ui/shell/shell";
import { Empty, LoadError, Loading } from "./ui/placeholders";

// The composer brings the text editor with it; nobody else should wait for that.
const NewJobPage = lazy(() => import("./pages/new-job/new-job"));
const WorkedExamplePage = lazy(() => import("./pages/worked-example/worked-example"));
const MapPage = lazy(() => import("./pages/map/map"));
const DashboardPage = lazy(() => import("./pages/dashboard/dashboard"));
const KioskPage = lazy(() => import("./pages/dashboard/kiosk"));
const SharedPage = lazy(() => import("./pages/shared/shared"));

export function App() {
  return (
    <ErrorBoundary resetKey="">
      <Router hook={useNamedLocation} searchHook={useNamedSearch}>
        <Pages />
      </Router>
    </ErrorBoundary>
  );
}

/** A read-only link opens its dashboard for anybody; everything else needs a session. */
function Pages() {
  const [location] = useLocation();
  if (location !== "/shared") return <SignedIn />;
  return (
    <Suspense fallback={<Loading title="Loading dashboard…" />}>
      <SharedPage />
    </Suspense>
  );
}

function SignedIn() {
  const session = useSession();
  if (session.data === undefined) {
    if (session.error)
      return (
        <LoadError title="Can't reach Weir" error={session.error} onRetry={() => void session.refetch()} />
      );
    return <Loading title="Loading Weir…" />;
  }
  const signedIn = session.data;
  if (!signedIn) return <SignInPage />;
  const first = signedIn.workspaces[0];
  return (
    <Switch>
      <Route path="/w/:workspace" nest>
        <WorkspaceRoutes session={signedIn} confirmedAt={session.dataUpdatedAt} />
      </Route>
      <Route>
        {first ? <Redirect to={`/w/${first.slug}`} replace /> : <NoWorkspace session={signedIn} />}
      </Route>
    </Switch>
  );
}

/** confirmedAt: when the server last confirmed the session. */
function WorkspaceRoutes({ session, confirmedAt }: { session: Session; confirmedAt: number }) {
  const { workspace: slug } = useParams<{ workspace: string }>();
  const workspace = session.workspaces.find((one) => one.slug === slug);
  const [socket] = useState(openSocket);
  useOpenSocket(socket);
  useEffect(() => {
    socket.signedInAgain();
  }, [socket, confirmedAt]);
  if (!workspace) return <NotFoundPage title="Workspace not found" />;
  return (
    <WorkspaceContext value={workspace}>
      <SocketContext value={socket}>
        <Switch>
          <Route path="/dashboards/:id/kiosk">
            {({ id }) => (
              <Suspense fallback={<Loading title="Loading dashboard…" />}>
                <KioskPage key={id} id={id} />
              </Suspense>
            )}
          </Route>
          <Route>
            <WithNavigation session={session} key={slug} />
          </Route>
        </Switch>
      </SocketContext>
    </WorkspaceContext>
  );
}

function WithNavigation({ session }: { session: Session }) {
  const [location] = useLocation();
  return (
    <Shell session={session}>
      <ErrorBoundary resetKey={location}>
        <Suspense fallback={<Loading title="Loading page…" />}>
          <Switch>
            <Route path="/">
              <OverviewPage />
            </Route>
            <Route path="/map">
              <MapPage />
            </Route>
            <Route path="/jobs">
              <JobsPage />
            </Route>
            <Route path="/jobs/new/:way?">
              <NewJobPage />
            </Route>
            <Route path="/jobs/new/example/:op">{({ op }) => <WorkedExamplePage key={op} op={op} />}</Route>
            <Route path="/jobs/:id/:tab?">
              {({ id, tab }) => <JobPage key={id} id={id} tab={tab ?? ""} />}
            </Route>
            <Route path="/streams">
              <StreamsPage />
            </Route>
            <Route path="/new-stream">
              <RegisterStreamPage />
            </Route>
            <Route path="/streams/:name/:tab?">
              {({ name, tab }) => <StreamPage key={name} name={name} tab={tab ?? ""} />}
            </Route>
            <Route path="/consumers">
              <ConsumersPage />
            </Route>
            <Route path="/consumers/:cluster/:group/:tab?">
              {({ cluster, group, tab }) => (
                <GroupPage
                  key={`${cluster}/${group}`}
                  cluster={cluster}
                  name={nameOf(group)}
                  tab={tab ?? ""}
                />
              )}
            </Route>
            <Route path="/dashboards">
              <DashboardsPage />
            </Route>
            <Route path="/dashboards/:id">{({ id }) => <DashboardPage key={id} id={id} />}</Route>
            <Route path="/alerts/:tab?">{({ tab }) => <AlertsPage tab={tab ?? ""} />}</Route>
            <Route path="/schemas">
              <SchemasPage />
            </Route>
            <Route path="/new-schema">
              <NewSchemaPage />
            </Route>
            <Route path="/schemas/:subject">
              {({ subject }) => <SubjectPage key={subject} name={nameOf(subject)} />}
            </Route>
            <Route path="/topics/:cluster?">
              {({ cluster }) => <TopicsPage cluster={cluster ?? HOME} />}
            </Route>
            <Route path="/topics/:cluster/:topic/:tab?">
              {({ cluster, topic, tab }) => (
                <TopicPage
                  key={`${cluster}/${topic}`}
                  cluster={cluster}
                  name={nameOf(topic)}
                  tab={tab ?? ""}
                />
              )}
            </Route>
            <Route path="/admin/:tab?">{({ tab }) => <AdminPage tab={tab ?? ""} />}</Route>
            <Route>
              <NotFoundPage />
            </Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </Shell>
  );
}

function NoWorkspace({ session }: { session: Session }) {
  return (
    <main>
      <InvitationBanner session={session} />
      <Empty main title="No workspace yet">
        {session.invitations.length
          ? "Accept an invitation to open its workspace."
          : `You're signed in as ${session.user.username}. Ask a workspace owner to invite this username.`}
      </Empty>
    </main>
  );
}

import { useLayoutEffect, useRef, useState } from "react";
import { useLocation, useParams } from "wouter";
import type { Job } from "../../api/types";
import { useMay, useWorkspace } from "../../api/workspace-context";
import { EMPTY_DOCUMENT } from "../../composer/outline";
import { Composer } from "../../composer/composer";
import { ChangedElsewhere } from "../../drafts/changed-elsewhere";
import { DiscardDraft } from "../../drafts/discard-draft";
import { ReplaceDraft } from "../../drafts/replace-draft";
import { writeDraft } from "../../drafts/shared-draft";
import { useDraft } from "../../drafts/text-draft";
import { useDraftPositions, type KeptPositions } from "../../composer/drawing/use-positions";
import { UndoRedo } from "../../composer/undo-redo";
import { useDocument } from "../../composer/use-document";
import { isUnread, writeTypedSql } from "../../composer/sql/typed-sql";
import { useSqlDocument, type SqlDocument } from "../../composer/sql/use-sql-document";
import { useHistory, type DocumentHistory } from "../../composer/use-history";
import { VIEWS, viewOf, type View } from "../../composer/view";
import { Page, Tabs } from "../../ui/page";
import { ForEditors } from "../../ui/placeholders";
import { Create } from "./create";
import { Examples } from "./examples";
import classes from "../../composer/composer.module.css";

const WAYS = [
  { path: "", label: "Example" },
  ...VIEWS.map(({ view, label }) => ({ path: view, label })),
] as const;

/** Ways to one document: an example, and its views. */
export default function NewJobPage() {
  const { way } = useParams<{ way?: string }>();
  const { slug } = useWorkspace();
  const mayEdit = useMay("edit");
  const draft = useDraft(`${slug}.new-job`, EMPTY_DOCUMENT);
  const view = viewOf(way ?? "");
  const history = useHistory(draft.text, draft.setText, `${slug}.new-job`);
  const positions = useDraftPositions(`${slug}.new-job`);
  const sql = useSqlDocument(draft.text, history, view === "sql");
  const hasDraft = draft.kept || isUnread(history.sql);
  const discard = () => {
    positions.forget();
    draft.forget();
    history.clear();
  };
  const typed = useRef(history.sql);
  useLayoutEffect(() => {
    typed.current = history.sql;
  }, [history.sql]);
  const created = (job: Job, sent: string) => {
    const place = `${slug}.job.${job.id}`;
    const rest = draft.created(sent);
    const unread = isUnread(typed.current);
    if (rest !== null) {
      const original = { revision: job.version, value: sent, by: "" };
      writeDraft(window.localStorage, place, { original, value: rest });
    }
    writeTypedSql(window.localStorage, place, typed.current);
    discard();
    return rest !== null || unread ? `/jobs/${job.id}/document?edit=1&view=${view}` : `/jobs/${job.id}`;
  };
  const [, navigate] = useLocation();
  const [copied, setCopied] = useState<string | null>(null);
  const edit = (text: string) => {
    positions.forget();
    history.clear();
    history.setText(text);
    navigate("/jobs/new/text");
  };
  const parent = { label: "Jobs", href: "/jobs" };
  if (!mayEdit)
    return (
      <Page title="New job" parent={parent}>
        <ForEditors what="create jobs" />
      </Page>
    );
  return (
    <Page
      title="New job"
      parent={parent}
      actions={
        way ? (
          <Create
            text={draft.text}
            positions={positions.byDirection}
            isShown={sql.ready}
            view={view}
            onText={history.setText}
            onCreated={created}
          />
        ) : undefined
      }
    >
      <div className={classes["bar"]}>
        <Tabs base="/jobs/new" tabs={WAYS} label="Create from" />
        {way && (
          <span className="soft" style={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 8 }}>
            <UndoRedo history={history} />
            {hasDraft && (
              <>
                Draft saved in this browser.{" "}
                <DiscardDraft changed onDiscard={discard} subtle>
                  Jobs that you created aren&apos;t affected.
                </DiscardDraft>
              </>
            )}
          </span>
        )}
      </div>
      <ChangedElsewhere draft={draft} />
      {way ? (
        <Editing text={draft.text} history={history} positions={positions} view={view} sql={sql} />
      ) : (
        <Examples
          onEdit={(text) => {
            if (hasDraft) setCopied(text);
            else edit(text);
          }}
        />
      )}
      <ReplaceDraft
        opened={copied !== null}
        onConfirm={() => {
          if (copied !== null) edit(copied);
          setCopied(null);
        }}
        onClose={() => {
          setCopied(null);
        }}
      />
    </Page>
  );
}

function Editing({
  text,
  history,
  positions,
  view,
  sql,
}: {
  text: string;
  history: DocumentHistory;
  positions: KeptPositions;
  view: View;
  sql: SqlDocument;
}) {
  const { problems, checked, failed } = useDocument(text);
  return (
    <Composer
      text={text}
      history={history}
      positions={positions}
      view={view}
      sql={sql}
      problems={problems}
      checked={checked}
      failed={failed}
    />
  );
}

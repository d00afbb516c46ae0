import { Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import { ApiError } from "../../api/client";
import { useCreateJob } from "../../api/jobs";
import { useMay, useWorkspace } from "../../api/workspace-context";
import { EMPTY_DOCUMENT } from "../../composer/outline";
import { Composer } from "../../composer/composer";
import { useDraft } from "../../composer/draft";
import { useDocument } from "../../composer/use-document";
import { useSqlDocument, type SqlDocument } from "../../composer/sql/use-sql-document";
import { VIEWS, viewOf, type View } from "../../composer/view";
import { Page, Tabs } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
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
  const sql = useSqlDocument(draft.text, draft.setText, view === "sql");
  const [, navigate] = useLocation();
  const parent = { label: "Jobs", href: "/jobs" };
  if (!mayEdit)
    return (
      <Page title="New job" parent={parent}>
        <Empty title="Viewers can't create jobs">
          Ask a workspace owner for the editor role (Admin › Members).
        </Empty>
      </Page>
    );
  return (
    <Page
      title="New job"
      parent={parent}
      actions={way ? <Create text={draft.text} isShown={sql.ready} onCreated={draft.forget} /> : undefined}
    >
      <div className={classes["bar"]}>
        <Tabs base="/jobs/new" tabs={WAYS} label="Create from" />
        {way && draft.kept && (
          <span className="soft">
            Draft saved in this browser.{" "}
            <Button variant="subtle" onClick={draft.forget}>
              Discard draft
            </Button>
          </span>
        )}
      </div>
      {way ? (
        <Editing text={draft.text} onChange={draft.setText} view={view} sql={sql} />
      ) : (
        <Examples
          onEdit={(text) => {
            draft.setText(text);
            navigate("/jobs/new/text");
          }}
        />
      )}
    </Page>
  );
}

function Editing({
  text,
  onChange,
  view,
  sql,
}: {
  text: string;
  onChange: (text: string) => void;
  view: View;
  sql: SqlDocument;
}) {
  const { problems, checked, failed } = useDocument(text);
  return (
    <Composer
      text={text}
      onChange={onChange}
      view={view}
      sql={sql}
      problems={problems}
      checked={checked}
      failed={failed}
    />
  );
}

interface CreateProps {
  text: string;
  /** the view shows this text's document */
  isShown: boolean;
  onCreated: () => void;
}

function Create({ text, isShown, onCreated }: CreateProps) {
  const { ready } = useDocument(text);
  const create = useCreateJob();
  const [start, setStart] = useState(true);
  const [, navigate] = useLocation();
  const submit = () => {
    create.mutate(
      { document: text, start },
      {
        onSuccess: (job) => {
          onCreated();
          navigate(`/jobs/${job.id}`);
        },
      },
    );
  };
  return (
    <>
      {create.error && (
        <span role="alert">
          <Badge tone="bad" plain>
            {create.error instanceof ApiError ? create.error.message : "Couldn't create the job"}
          </Badge>
        </span>
      )}
      <Checkbox
        size="xs"
        label="Start now, new records only"
        checked={start}
        onChange={(e) => {
          setStart(e.currentTarget.checked);
        }}
        style={{ alignSelf: "center" }}
      />
      <Button disabled={!(ready && isShown)} loading={create.isPending} onClick={submit}>
        Create job
      </Button>
    </>
  );
}

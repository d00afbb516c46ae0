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
import { Page, Tabs } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import { Examples } from "./examples";
import classes from "../../composer/composer.module.css";

const WAYS = [
  { path: "", label: "Example" },
  { path: "form", label: "Form" },
  { path: "text", label: "YAML" },
] as const;

/** Three ways to one document: an example, the form, the text. */
export default function NewJobPage() {
  const { way } = useParams<{ way?: string }>();
  const { slug } = useWorkspace();
  const mayEdit = useMay("edit");
  const draft = useDraft(`${slug}.new-job`, EMPTY_DOCUMENT);
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
      actions={way ? <Create text={draft.text} onCreated={draft.forget} /> : undefined}
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
        <Editing text={draft.text} onChange={draft.setText} view={way === "text" ? "text" : "form"} />
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
}: {
  text: string;
  onChange: (text: string) => void;
  view: "form" | "text";
}) {
  const { problems, checked, failed } = useDocument(text);
  return (
    <Composer
      text={text}
      onChange={onChange}
      view={view}
      problems={problems}
      checked={checked}
      failed={failed}
    />
  );
}

function Create({ text, onCreated }: { text: string; onCreated: () => void }) {
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
      <Button disabled={!ready} loading={create.isPending} onClick={submit}>
        Create job
      </Button>
    </>
  );
}

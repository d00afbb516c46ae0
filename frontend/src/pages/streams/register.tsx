import { Button, TextInput } from "@mantine/core";
import { useLocation } from "wouter";
import { ApiError } from "../../api/client";
import { useRegisterStream } from "../../api/streams";
import { useMay, useWorkspace } from "../../api/workspace-context";
import { ChangedElsewhere } from "../../drafts/changed-elsewhere";
import { DiscardDraft } from "../../drafts/discard-draft";
import { RestoredDraft } from "../../drafts/restored-draft";
import { writeDraft } from "../../drafts/shared-draft";
import { useSharedDraft } from "../../drafts/use-shared-draft";
import { Page, Panel } from "../../ui/page";
import { ForEditors } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import { Term } from "../../ui/term";
import { contractDraftName, storedOf } from "../stream/kept-contract";
import { EMPTY_DRAFT, type StreamDraft } from "./contract-draft";
import { missing, requestOf } from "./contract-request";
import { ContractForm } from "./contract-form";
import { TopicForm } from "./topic-form";
import classes from "./register.module.css";

const NOTHING = { revision: 0, value: EMPTY_DRAFT, by: "" };

/** A topic, and what every record of it must be. */
export function RegisterStreamPage() {
  const { slug } = useWorkspace();
  const mayEdit = useMay("edit");
  const kept = useSharedDraft<StreamDraft>(`${slug}.new-stream`, NOTHING);
  const { value: draft, setValue: setDraft } = kept;
  const register = useRegisterStream();
  const [, navigate] = useLocation();
  const change = (part: Partial<StreamDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
  };
  const lacking = missing(draft);
  const submit = () => {
    register.mutate(requestOf(draft), {
      onSuccess: (stream) => {
        const rest = kept.created(draft);
        if (rest) {
          const original = storedOf(stream);
          const value = { contract: stream.contract, form: rest.value };
          writeDraft(window.localStorage, contractDraftName(slug, stream), { original, value });
        }
        navigate(rest ? `/streams/${stream.name}/contract?edit=1` : `/streams/${stream.name}`);
      },
    });
  };
  const parent = { label: "Streams", href: "/streams" };
  if (!mayEdit)
    return (
      <Page title="Register a stream" parent={parent}>
        <ForEditors what="register streams" />
      </Page>
    );
  return (
    <Page
      title="Register a stream"
      parent={parent}
      actions={
        <>
          {lacking && draft.topic && (
            <span className="soft" style={{ alignSelf: "center" }}>
              {lacking}
            </span>
          )}
          {kept.changed && (
            <DiscardDraft
              changed
              onDiscard={() => {
                register.reset();
                kept.forget();
              }}
            >
              Streams that are registered aren&apos;t affected.
            </DiscardDraft>
          )}
          <Button disabled={lacking !== null} loading={register.isPending} onClick={submit}>
            Register
          </Button>
        </>
      }
    >
      <RestoredDraft restored={kept.restored} />
      <ChangedElsewhere draft={kept} />
      {register.error && <RegisterError error={register.error} />}
      <Panel title="Topic">
        <TopicForm draft={draft} change={change} />
      </Panel>
      <ContractForm draft={draft} change={setDraft}>
        <Panel title="Name">
          <div className={classes["row"]}>
            <TextInput
              label={<Term name="Stream">Stream name</Term>}
              description="Name used in jobs"
              value={draft.name}
              onChange={(e) => {
                change({ name: e.currentTarget.value });
              }}
            />
            <TextInput
              label="Description"
              description="What the records contain"
              value={draft.description}
              onChange={(e) => {
                change({ description: e.currentTarget.value });
              }}
            />
          </div>
        </Panel>
      </ContractForm>
    </Page>
  );
}

function RegisterError({ error }: { error: unknown }) {
  const shown = error instanceof ApiError ? error : null;
  return (
    <div role="alert">
      <Badge tone="bad" plain>
        Couldn't register the stream
      </Badge>{" "}
      {shown?.message}
      {shown && (
        <ul>
          {Object.entries(shown.fields).map(([field, words]) => (
            <li key={field}>
              <strong>{field}</strong>: {words.join(" ")}
            </li>
          ))}
          {shown.problems.map((problem) => (
            <li key={problem.code + problem.path.join()}>{problem.message}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

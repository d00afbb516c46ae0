import { Button, Checkbox, PasswordInput, TextInput } from "@mantine/core";
import { ApiError } from "../../../api/client";
import { useSetLineageReceiver } from "../../../api/openlineage";
import type { LineageReceiver } from "../../../api/types";
import { useWorkspace } from "../../../api/workspace-context";
import { ChangedMeanwhile } from "../../../drafts/changed-meanwhile";
import { useLeave } from "../../../drafts/discard-draft";
import type { Stored } from "../../../drafts/shared-draft";
import { useSharedDraft } from "../../../drafts/use-shared-draft";
import { heldOpen, OpenDialog } from "../../../ui/open-dialog";
import { RequestError } from "../../../ui/request-error";
import { changeOf, draftOf, keyText, needsKey, type ReceiverDraft } from "./receiver-draft";
import classes from "./openlineage.module.css";

const URL_CODES = ["ADDRESS_FORBIDDEN"];
const KEY_CODES = ["KEY_INVALID", "KEY_NEEDED"];

/** Sets the receiver, or changes the one that is known. */
export function ReceiverForm({ known, onClose }: { known: LineageReceiver | null; onClose: () => void }) {
  const { slug } = useWorkspace();
  const shared = useSharedDraft<ReceiverDraft>(null, storedOf(known));
  const draft = shared.value;
  const save = useSetLineageReceiver();
  const change = (part: Partial<ReceiverDraft>) => {
    if (!save.isPending) save.reset(); // its answer says what was saved
    shared.setValue((before) => ({ ...before, ...part }));
  };
  const { leave, question } = useLeave(shared.changed, onClose, "The saved receiver isn't affected.");
  const urlError = problemOf(save.error, "url", URL_CODES);
  const keyError = problemOf(save.error, "key", KEY_CODES);
  return (
    <OpenDialog
      onClose={leave}
      {...heldOpen(save.isPending)}
      size="lg"
      title={<strong>{known ? "Change receiver" : "Set receiver"}</strong>}
    >
      {question}
      {!save.isPending && <ChangedMeanwhile draft={shared} what="receiver" />}
      <form
        className={classes["form"]}
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          const revision = known && { revision: shared.original.revision };
          save.mutate(
            { ...changeOf(draft, known), ...revision },
            {
              onSuccess: (saved) => {
                if (shared.saved(draft, storedOf(saved))) onClose();
              },
            },
          );
        }}
      >
        <TextInput
          label="URL"
          description="Where events are posted. Members can see it; put secrets into the API key."
          placeholder="https://marquez.example.com/api/v1/lineage"
          type="url"
          required
          data-autofocus
          maxLength={2_000}
          value={draft.url}
          error={urlError}
          onChange={(event) => {
            change({ url: event.currentTarget.value });
          }}
        />
        <TextInput
          label="Job namespace"
          description="Under which the catalog lists this workspace's jobs"
          placeholder={`weir.${slug}`}
          maxLength={200}
          value={draft.namespace}
          onChange={(event) => {
            change({ namespace: event.currentTarget.value });
          }}
        />
        <PasswordInput
          label="API key"
          description={keyText(draft, known)}
          autoComplete="new-password"
          maxLength={4_000}
          required={needsKey(draft, known)}
          disabled={draft.removeKey}
          value={draft.removeKey ? "" : draft.key}
          error={keyError}
          onChange={(event) => {
            change({ key: event.currentTarget.value });
          }}
        />
        {known?.has_key && (
          <Checkbox
            label="Remove the API key"
            checked={draft.removeKey}
            onChange={(event) => {
              change({ removeKey: event.currentTarget.checked });
            }}
          />
        )}
        <RequestError
          what="Couldn't save the receiver"
          error={urlError === null && keyError === null ? save.error : null}
        />
        <div className={classes["formActions"]}>
          <Button variant="default" disabled={save.isPending} onClick={leave}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={shared.newer !== null}>
            {known ? "Save receiver" : "Set receiver"}
          </Button>
        </div>
      </form>
    </OpenDialog>
  );
}

function storedOf(known: LineageReceiver | null): Stored<ReceiverDraft> {
  return { revision: known?.revision ?? 0, value: draftOf(known), by: "" };
}

function problemOf(error: unknown, field: string, codes: readonly string[]): string | null {
  if (!(error instanceof ApiError)) return null;
  if (error.code !== null && codes.includes(error.code)) return error.message;
  return error.fields[field]?.join(" ") ?? null;
}

import { Button, Checkbox, Modal, PasswordInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../../api/client";
import { useSetLineageReceiver } from "../../../api/openlineage";
import type { LineageReceiver } from "../../../api/types";
import { useWorkspace } from "../../../api/workspace-context";
import { RequestError } from "../../../ui/request-error";
import { changeOf, draftOf, keyText, needsKey, type ReceiverDraft } from "./receiver-draft";
import classes from "./openlineage.module.css";

const URL_CODES = ["ADDRESS_FORBIDDEN"];
const KEY_CODES = ["KEY_INVALID", "KEY_NEEDED"];

/** Sets the receiver, or changes the one that is known. */
export function ReceiverForm({ known, onClose }: { known: LineageReceiver | null; onClose: () => void }) {
  const { slug } = useWorkspace();
  const [draft, setDraft] = useState<ReceiverDraft>(() => draftOf(known));
  const save = useSetLineageReceiver();
  const change = (part: Partial<ReceiverDraft>) => {
    save.reset();
    setDraft((before) => ({ ...before, ...part }));
  };
  const urlError = problemOf(save.error, "url", URL_CODES);
  const keyError = problemOf(save.error, "key", KEY_CODES);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={<strong>{known ? "Change receiver" : "Set receiver"}</strong>}
    >
      <form
        className={classes["form"]}
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(changeOf(draft, known), { onSuccess: onClose });
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
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {known ? "Save receiver" : "Set receiver"}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function problemOf(error: unknown, field: string, codes: readonly string[]): string | null {
  if (!(error instanceof ApiError)) return null;
  if (error.code !== null && codes.includes(error.code)) return error.message;
  return error.fields[field]?.join(" ") ?? null;
}

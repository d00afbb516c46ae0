import { Button, Checkbox, Textarea } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../api/client";
import { useRegisterSchema, useSchemaCheck } from "../../api/schemas";
import type { RegisteredSchema, SchemaCheck, SchemaDraft, SchemaReference } from "../../api/types";
import { ChangedElsewhere } from "../../drafts/changed-elsewhere";
import { ChangedMeanwhile } from "../../drafts/changed-meanwhile";
import { DiscardDraft } from "../../drafts/discard-draft";
import { RestoredDraft } from "../../drafts/restored-draft";
import type { SharedDraft } from "../../drafts/use-shared-draft";
import { Confirm } from "../../ui/confirm";
import { counted } from "../../ui/format/numbers";
import { Badge } from "../../ui/status";
import { checkFailure } from "./check-failure";
import { ImpactList, jobsWith } from "./impact-list";
import { ReferencesForm } from "./references-form";
import classes from "./schemas.module.css";

export interface WrittenSchema {
  text: string;
  references: readonly SchemaReference[];
}

interface SchemaFormProps<T extends WrittenSchema> {
  subject: string;
  kind: RegisteredSchema["schema_type"];
  /** the newest version, which a new one begins from; 0: there is none */
  version: number;
  draft: SharedDraft<T>;
  /** `written`: what was registered of the draft */
  onRegistered: (registered: RegisteredSchema, written: T, subject: string) => void;
}

/** What Register was pressed for. The form can be changed while its answers are awaited. */
interface Offer<T> {
  schema: SchemaDraft & { subject: string };
  written: T;
}

/**
 * Form of a schema version: shows the impact before registering; breaking changes must be confirmed by name.
 */
export function SchemaForm<T extends WrittenSchema>({
  subject,
  kind,
  version,
  draft,
  onRegistered,
}: SchemaFormProps<T>) {
  const { text, references } = draft.value;
  const change = (part: Partial<WrittenSchema>) => {
    draft.setValue((now) => ({ ...now, ...part }));
  };
  const [normalize, setNormalize] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const [asked, setAsked] = useState<{ offer: Offer<T>; found: SchemaCheck } | null>(null);
  const [outcome, setOutcome] = useState<{ of: T; text: string } | null>(null);
  const check = useSchemaCheck();
  const register = useRegisterSchema();
  const offered = { subject, schema: text, schema_type: kind, references: [...references], normalize };
  const checked = JSON.stringify(check.variables) === JSON.stringify(offered) ? check.data : undefined;
  const lacking = !text.trim() || !subject || references.some(({ name, subject: other }) => !name || !other);
  const send = ({ schema, written }: Offer<T>, force: boolean) => {
    register.mutate(
      { ...schema, force },
      {
        onSuccess: (registered) => {
          setConfirming(false);
          setOutcome({ of: written, text: outcomeText(version, registered) });
          onRegistered(registered, written, schema.subject);
        },
      },
    );
  };
  const submit = () => {
    const offer = { schema: offered, written: draft.value };
    check.mutate(offered, {
      onSuccess: (found) => {
        if (inTheWay(found)) {
          setAsked({ offer, found });
          setConfirming(true);
        } else send(offer, false);
      },
    });
  };
  const error = check.error ?? register.error;
  return (
    <div className={classes["form"]}>
      <RestoredDraft restored={draft.restored} />
      <ChangedElsewhere draft={draft} />
      {!register.isPending && (
        <ChangedMeanwhile
          draft={draft}
          what={`version ${String(draft.newer?.revision ?? "")}`}
          textOf={(written) => written.text}
        />
      )}
      <Textarea
        label="Schema"
        aria-label="Schema"
        autosize
        minRows={6}
        maxRows={24}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } }}
        value={text}
        onChange={(e) => {
          change({ text: e.currentTarget.value });
        }}
      />
      <ReferencesForm
        references={references}
        onChange={(next) => {
          change({ references: next });
        }}
      />
      <Checkbox
        label="Normalize schema"
        description="Treats differently formatted copies as the same schema"
        checked={normalize}
        onChange={(e) => {
          setNormalize(e.currentTarget.checked);
        }}
      />
      <div className={classes["row"]}>
        <Button
          variant="default"
          disabled={lacking}
          loading={check.isPending}
          onClick={() => {
            check.mutate(offered);
          }}
        >
          Check impact
        </Button>
        <Button
          disabled={lacking || !draft.changed || draft.newer !== null}
          loading={register.isPending}
          onClick={submit}
        >
          Register
        </Button>
        {draft.changed && (
          <DiscardDraft changed onDiscard={draft.forget} subtle>
            Registered versions aren&apos;t affected.
          </DiscardDraft>
        )}
      </div>
      {error && !confirming && (
        <p role="alert">
          <Badge tone="bad" plain>
            {check.error ? checkFailure(check.error) : "Couldn't register the schema"}
          </Badge>{" "}
          {error instanceof ApiError ? error.message : "Something went wrong. Try again."}
        </p>
      )}
      {outcome?.of === draft.value && <p role="status">{outcome.text}</p>}
      {checked && <Checked found={checked} />}
      {asked && (
        <Confirm
          opened={confirming}
          onClose={() => {
            setConfirming(false);
          }}
          title="Register breaking schema?"
          verb="Register anyway"
          busy={register.isPending}
          error={register.error}
          onConfirm={() => {
            send(asked.offer, true);
          }}
        >
          {jobsWith(asked.found.impacts, "breaks").length > 0 && (
            <p>
              This breaks {jobsWith(asked.found.impacts, "breaks").join(", ")}. Records of the new version
              become malformed for these jobs, or they can't restart until updated.
            </p>
          )}
          {asked.found.conflicts.length > 0 && (
            <p>
              Not compatible with{" "}
              {counted(new Set(asked.found.conflicts.map(({ version }) => version)).size, "earlier version")}{" "}
              ({asked.found.level}): {counted(asked.found.conflicts.length, "conflict")}.
            </p>
          )}
        </Confirm>
      )}
    </div>
  );
}

/** The registry makes no new version of a schema that the subject has already. */
function outcomeText(latest: number, { version, id }: RegisteredSchema): string {
  if (version > latest) return `Version ${String(version)} registered`;
  const has = `Version ${String(version)} already has this schema (ID ${String(id)}).`;
  return version === latest ? has : `${has} The latest is still version ${String(latest)}.`;
}

function inTheWay({ conflicts, impacts }: SchemaCheck): boolean {
  return conflicts.length > 0 || jobsWith(impacts, "breaks").length > 0;
}

function Checked({ found: { conflicts, impacts, level } }: { found: SchemaCheck }) {
  return (
    <div role="status">
      {conflicts.length ? (
        <>
          <p>
            <Badge tone="bad" plain>
              Not compatible with earlier versions
            </Badge>{" "}
            ({level}):
          </p>
          <ul className={classes["details"]}>
            {conflicts.map(({ version, rule, path, message, allowed }) => (
              <li key={`${String(version)} ${rule} ${path}`}>
                {path ? <code>{path}</code> : "the whole schema"}: {message} {allowed}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p>
          <Badge tone="good" plain>
            Compatible with earlier versions
          </Badge>{" "}
          ({level})
        </p>
      )}
      <ImpactList impacts={impacts} />
    </div>
  );
}

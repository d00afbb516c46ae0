import { Button, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { ApiError } from "../../api/client";
import { useChangeContract, useContractImpact, useSubject } from "../../api/schemas";
import type { Contract, JobImpact, Stream } from "../../api/types";
import { useWorkspace } from "../../api/workspace-context";
import { ChangedElsewhere } from "../../drafts/changed-elsewhere";
import { ChangedMeanwhile } from "../../drafts/changed-meanwhile";
import { DiscardDraft } from "../../drafts/discard-draft";
import { RestoredDraft } from "../../drafts/restored-draft";
import { useSharedDraft } from "../../drafts/use-shared-draft";
import { Confirm } from "../../ui/confirm";
import { Panel } from "../../ui/page";
import { Badge } from "../../ui/status";
import { ImpactList, jobsWith } from "../schemas/impact-list";
import { withColumns, type StreamDraft } from "../streams/contract-draft";
import { TakeFields } from "../streams/take-fields";
import { changedContract, missingOfContract, subjectOf } from "../streams/contract-request";
import { ContractForm } from "../streams/contract-form";
import { contractDraftName, storedOf, takeOverDraft, type ContractDraft } from "./kept-contract";
import { ProposedDelay } from "./proposed-delay";
import classes from "./stream.module.css";

/** What Save was pressed for. The form can be changed while its answers are awaited. */
interface Change {
  contract: Contract;
  written: ContractDraft;
  revision: number;
}

/**
 * Form of a changed contract: shows the impact on the stream's jobs first; jobs that break, or that can't
 * resume their state, must be confirmed by name.
 */
export function ChangeContract({ stream, onClose }: { stream: Stream; onClose: () => void }) {
  const { slug } = useWorkspace();
  const stored = useMemo(() => storedOf(stream), [stream]);
  // As the draft is: in the first rendering, and before it.
  useState(() => {
    takeOverDraft(window.localStorage, slug, stream);
  });
  const shared = useSharedDraft(contractDraftName(slug, stream), stored);
  const draft = shared.value.form;
  const setDraft = (next: StreamDraft | ((before: StreamDraft) => StreamDraft)) => {
    shared.setValue((before) => ({
      ...before,
      form: typeof next === "function" ? next(before.form) : next,
    }));
  };
  const finish = () => {
    shared.forget();
    onClose();
  };
  const [confirming, setConfirming] = useState(false);
  const [checked, setChecked] = useState<{ change: Change; impacts: readonly JobImpact[] } | null>(null);
  const impact = useContractImpact(stream.name);
  const save = useChangeContract(stream.name);
  const contract: Contract = changedContract(shared.value.contract, draft);
  const send = ({ written, ...change }: Change, force: boolean) => {
    save.mutate(
      { ...change, description: written.form.description, force },
      {
        onSuccess: (saved) => {
          setConfirming(false);
          if (shared.saved(written, storedOf(saved))) onClose();
        },
      },
    );
  };
  const submit = () => {
    const change = { contract, written: shared.value, revision: shared.original.revision };
    impact.mutate(contract, {
      onSuccess: ({ impacts }) => {
        const asked = [...jobsWith(impacts, "breaks"), ...jobsWith(impacts, "resets_state")];
        if (asked.length) {
          setChecked({ change, impacts });
          setConfirming(true);
        } else send(change, false);
      },
    });
  };
  const error = impact.error ?? save.error;
  const lacking = missingOfContract(draft);
  const found = checked?.impacts ?? [];
  const [breaks, resets] = [jobsWith(found, "breaks"), jobsWith(found, "resets_state")];
  // Of the contract as it is now: one that was changed since has another.
  const isCurrent = JSON.stringify(impact.variables) === JSON.stringify(contract);
  return (
    <>
      {!save.isPending && <ChangedMeanwhile draft={shared} what="stream" textOf={textOf} />}
      <RestoredDraft restored={shared.restored} />
      <ChangedElsewhere draft={shared} />
      <Panel title="Description">
        <TextInput
          aria-label="Description"
          description="What the records contain"
          value={draft.description}
          onChange={(e) => {
            const description = e.currentTarget.value;
            setDraft((before) => ({ ...before, description }));
          }}
        />
      </Panel>
      <ContractForm
        draft={draft}
        change={setDraft}
        source={<NewestVersion stream={stream} draft={draft} change={setDraft} />}
        measured={
          <ProposedDelay
            stream={stream.name}
            onUse={(delay) => {
              setDraft((before) => ({ ...before, delay }));
            }}
          />
        }
      />
      <Panel title="Save">
        <div className={classes["bar"]}>
          <Button
            variant="default"
            disabled={lacking !== null}
            loading={impact.isPending}
            onClick={() => {
              impact.mutate(contract);
            }}
          >
            Check impact
          </Button>
          <Button
            disabled={lacking !== null || shared.newer !== null}
            loading={save.isPending}
            onClick={submit}
          >
            Save
          </Button>
          <DiscardDraft changed={shared.changed} onDiscard={finish} subtle>
            The saved contract isn&apos;t affected.
          </DiscardDraft>
          {lacking && <span className="soft">{lacking}</span>}
        </div>
        {error && !confirming && !shared.newer && <Refused error={error} />}
        {impact.data && isCurrent && (
          <div role="status">
            <ImpactList impacts={impact.data.impacts} />
          </div>
        )}
        <p className="soft">Running jobs keep the current contract until restarted.</p>
      </Panel>
      <Confirm
        opened={confirming}
        onClose={() => {
          setConfirming(false);
        }}
        title={breaks.length ? "Save breaking change?" : "Save and reset state?"}
        verb="Save anyway"
        busy={save.isPending}
        error={save.error}
        onConfirm={() => {
          if (checked) send(checked.change, true);
        }}
      >
        {breaks.length > 0 && (
          <p>This breaks {breaks.join(", ")}. Running jobs continue but can't restart until updated.</p>
        )}
        {resets.length > 0 && (
          <p>
            This resets the state of {resets.join(", ")}: records would be read differently than those already
            counted. Running jobs continue, but their next start needs a start position.
          </p>
        )}
      </Confirm>
    </>
  );
}

/** As text, to be compared line by line. */
function textOf({ contract, form }: ContractDraft): string {
  return JSON.stringify(
    { description: form.description, contract: changedContract(contract, form) },
    null,
    2,
  );
}

function Refused({ error }: { error: unknown }) {
  const shown = error instanceof ApiError ? error : null;
  return (
    <div role="alert">
      <Badge tone="bad" plain>
        Couldn't save the contract
      </Badge>{" "}
      {shown?.message ?? "Something went wrong. Try again."}
      {shown && shown.problems.length > 1 && (
        <ul>
          {shown.problems.map((problem) => (
            <li key={problem.code + problem.path.join()}>
              {problem.message} {problem.hint}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A stream of a subject takes its fields from the newest version. */
function NewestVersion({
  stream,
  draft,
  change,
}: {
  stream: Stream;
  draft: StreamDraft;
  change: (draft: StreamDraft) => void;
}) {
  const named = subjectOf(stream.contract);
  const subject = useSubject(named ?? "", named !== null);
  const newest = subject.data?.versions[0];
  if (!named || !newest) return null;
  const columns = stream.contract.format === "debezium" ? newest.row_fields : newest.fields;
  return (
    <div className={classes["note"]}>
      <span>
        Saving switches to version {newest.version}, the latest of {named}.{" "}
      </span>
      {columns.length > 0 && (
        <TakeFields
          draft={draft}
          find={(onFound: (found: typeof columns) => void) => {
            onFound(columns);
          }}
          onTake={(found) => {
            change(withColumns(draft, found));
          }}
        >
          Import fields
        </TakeFields>
      )}
    </div>
  );
}

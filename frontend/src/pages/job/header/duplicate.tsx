import { Button } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { Job } from "../../../api/types";
import { useWorkspace } from "../../../api/workspace-context";
import { hasDraft } from "../../../drafts/text-draft";
import { Confirm } from "../../../ui/confirm";
import { Icon } from "../../../ui/icons";
import { duplicateAsDraft } from "./duplicate-draft";

/** Opens the newest version of a job as the draft of a new one; asks where another draft would be lost. */
export function DuplicateJob({ job }: { job: Job }) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const duplicate = () => {
    navigate(duplicateAsDraft(window.localStorage, slug, job));
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="copy" size={14} />}
        onClick={() => {
          if (hasDraft(window.localStorage, `${slug}.new-job`)) setAsking(true);
          else duplicate();
        }}
      >
        Duplicate
      </Button>
      <Confirm
        opened={asking}
        title="Replace your draft?"
        verb="Replace draft"
        onConfirm={duplicate}
        onClose={() => {
          setAsking(false);
        }}
      >
        <p>This browser has a draft of a new job. The copy of {job.name} takes its place.</p>
      </Confirm>
    </>
  );
}

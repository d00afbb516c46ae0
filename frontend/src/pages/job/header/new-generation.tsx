import type { Job } from "../../../api/types";
import { Confirm } from "../../../ui/confirm";

interface NewGenerationProps {
  of: Job;
  opened: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before a start that gives up the state and the results of the job's generation. */
export function NewGeneration({ of: job, opened, onConfirm, onClose }: NewGenerationProps) {
  return (
    <Confirm
      opened={opened}
      title={`Reset ${job.name}?`}
      verb="Reset and start"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        The job starts without its saved state, and its results so far are deleted: generation{" "}
        {job.generation} can&apos;t be resumed. Source streams aren&apos;t affected. This can&apos;t be
        undone.
      </p>
    </Confirm>
  );
}

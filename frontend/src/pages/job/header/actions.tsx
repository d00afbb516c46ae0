import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiError } from "../../../api/client";
import { useDeleteJob, useStopJob } from "../../../api/jobs";
import type { Job } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { Confirm } from "../../../ui/confirm";
import { Icon } from "../../../ui/icons";
import { Badge } from "../../../ui/status";
import { DuplicateJob } from "./duplicate";
import { StartMenu } from "./start-menu";

export function JobActions({ job }: { job: Job }) {
  const stop = useStopJob(job.id);
  const [mayEdit, mayStart, mayStop] = [useMay("edit"), useMay("start_jobs"), useMay("stop_jobs")];
  const [deleting, setDeleting] = useState(false);
  // A failed job should still run, so it can be started again.
  const shouldRun = job.desired === "running";
  const startable = !shouldRun || job.observed === "failed";
  return (
    <>
      {stop.error && (
        <Badge tone="bad" plain>
          {stop.error instanceof ApiError ? stop.error.message : "Couldn't stop the job"}
        </Badge>
      )}
      {mayEdit && (
        <>
          <Button
            variant="default"
            component={Link}
            href={`/jobs/${job.id}/document?edit=1`}
            leftSection={<Icon name="edit" size={14} />}
          >
            Edit
          </Button>
          <DuplicateJob job={job} />
          <Button
            variant="default"
            onClick={() => {
              setDeleting(true);
            }}
            leftSection={<Icon name="trash" size={14} />}
          >
            Delete
          </Button>
        </>
      )}
      {shouldRun && mayStop && (
        <Button
          variant="default"
          loading={stop.isPending}
          onClick={() => {
            stop.mutate();
          }}
          leftSection={<Icon name="stop" size={14} />}
        >
          Stop
        </Button>
      )}
      {startable && mayStart && <StartMenu job={job} version={job.version} verb="Start" />}
      <DeleteJob
        job={job}
        opened={deleting}
        onClose={() => {
          setDeleting(false);
        }}
      />
    </>
  );
}

function DeleteJob({ job, opened, onClose }: { job: Job; opened: boolean; onClose: () => void }) {
  const remove = useDeleteJob(job.id);
  const [, navigate] = useLocation();
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete job ${job.name}?`}
      verb="Delete job"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        remove.mutate(undefined, {
          onSuccess: () => {
            navigate("/jobs");
          },
        });
      }}
    >
      <p>This deletes:</p>
      <ul>
        <li>{job.version === 1 ? "1 version" : `all ${String(job.version)} versions`} and the run history</li>
        <li>the saved state</li>
        <li>the results and the result topic; consumers of that topic will fail</li>
      </ul>
      <p className="soft">
        {job.desired === "running" ? "The job is running and will be stopped first. " : ""}Source streams
        aren't affected. This can't be undone.
      </p>
    </Confirm>
  );
}

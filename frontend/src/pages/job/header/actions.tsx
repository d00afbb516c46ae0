import { Button, Menu } from "@mantine/core";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiError } from "../../../api/client";
import { useDeleteJob, useStartJob, useStopJob } from "../../../api/jobs";
import type { Job } from "../../../api/types";
import { Confirm } from "../../../ui/confirm";
import { Icon } from "../../../ui/icons";
import { Badge } from "../../../ui/status";
import { StartFromTime } from "./start-from-time";

export function JobActions({ job }: { job: Job }) {
  const stop = useStopJob(job.id);
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
      <Button
        variant="default"
        component={Link}
        href={`/jobs/${job.id}/document?edit=1`}
        leftSection={<Icon name="edit" size={14} />}
      >
        Edit
      </Button>
      <Button
        variant="default"
        onClick={() => {
          setDeleting(true);
        }}
        leftSection={<Icon name="trash" size={14} />}
      >
        Delete
      </Button>
      {shouldRun && (
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
      {startable && <StartMenu job={job} />}
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

function StartMenu({ job }: { job: Job }) {
  const start = useStartJob(job.id);
  const [choosing, setChoosing] = useState(false);
  const resumable = job.generation !== null;
  return (
    <>
      {start.error && (
        <Badge tone="bad" plain>
          {start.error instanceof ApiError ? start.error.message : "Couldn't start the job"}
        </Badge>
      )}
      <Menu width={300}>
        <Menu.Target>
          <Button
            loading={start.isPending}
            leftSection={<Icon name="play" size={14} />}
            rightSection={<Icon name="down" size={14} />}
          >
            Start
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {resumable && (
            <>
              <Menu.Item
                onClick={() => {
                  start.mutate({ from: "resume" });
                }}
              >
                Resume <div className="soft">Continue from the last checkpoint</div>
              </Menu.Item>
              <Menu.Divider />
              <Menu.Label>New generation: resets state and results</Menu.Label>
            </>
          )}
          <Menu.Item
            onClick={() => {
              start.mutate({ from: "now" });
            }}
          >
            From now <div className="soft">New records only</div>
          </Menu.Item>
          <Menu.Item
            onClick={() => {
              start.mutate({ from: "earliest" });
            }}
          >
            From the earliest record <div className="soft">All retained records</div>
          </Menu.Item>
          <Menu.Item
            onClick={() => {
              setChoosing(true);
            }}
          >
            From a time… <div className="soft">Windows already open then are marked partial</div>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <StartFromTime
        opened={choosing}
        onClose={() => {
          setChoosing(false);
        }}
        onStart={(time) => {
          start.mutate({ from: "time", time });
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

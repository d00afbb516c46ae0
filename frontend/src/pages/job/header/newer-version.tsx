import { Button } from "@mantine/core";
import { useRef } from "react";
import { useStartJob, useStartOptions } from "../../../api/jobs";
import type { Job } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { Icon } from "../../../ui/icons";
import { RequestError } from "../../../ui/request-error";
import { Badge } from "../../../ui/status";
import { StartProblem } from "./start-despite-tests";
import { StartMenu } from "./start-menu";
import classes from "./header.module.css";

/** A newer version than the running one is saved: what a restart does to the state, and the restart. */
export function NewerVersion({ job }: { job: Job }) {
  if (job.running_version === null || job.running_version === job.version || job.desired !== "running")
    return null;
  return <Notice job={job} running={job.running_version} />;
}

function Notice({ job, running }: { job: Job; running: number }) {
  const query = useStartOptions(job.id, job.version, true);
  const options = query.data;
  const start = useStartJob(job.id);
  const opener = useRef<HTMLButtonElement>(null);
  const mayStart = useMay("start_jobs");
  const verb = `Restart with version ${String(job.version)}`;
  return (
    <div className={classes["notice"]} role="status">
      <span>
        <Badge tone="warn" plain>
          Version {running} is running
        </Badge>{" "}
        Version {job.version} is saved but not started.{" "}
        {options &&
          (options.resumable ? `A restart keeps state and results. ${options.note}` : options.reason)}
      </span>
      {!options && (
        <RequestError what="Couldn't check the saved state" error={query.error} onRetry={query.refetch} />
      )}
      <StartProblem job={job} start={start} verb={verb} opener={opener} />
      {mayStart &&
        options &&
        (options.resumable ? (
          <Button
            ref={opener}
            loading={start.isPending}
            leftSection={<Icon name="play" size={14} />}
            onClick={() => {
              start.mutate({ from: "resume", version: job.version });
            }}
          >
            {verb}
          </Button>
        ) : (
          <StartMenu job={job} version={job.version} verb={verb} />
        ))}
    </div>
  );
}

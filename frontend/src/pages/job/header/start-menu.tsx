import { Button, Menu } from "@mantine/core";
import { useRef, useState } from "react";
import { useStartJob, useStartOptions } from "../../../api/jobs";
import type { Job, StartRequest } from "../../../api/types";
import { Icon } from "../../../ui/icons";
import { NewGeneration } from "./new-generation";
import { resumeChoices } from "./resume-choices";
import { StartProblem } from "./start-despite-tests";
import { StartFromTime } from "./start-from-time";
import { TestsNote } from "./tests-note";

interface StartMenuProps {
  job: Job;
  /** of the document that is started */
  version: number;
  verb: string;
  /** one of several on the page */
  secondary?: boolean;
}

/** Starts one version: resuming, with the reason where that is impossible, or in a new generation. */
export function StartMenu({ job, version, verb, secondary = false }: StartMenuProps) {
  const start = useStartJob(job.id);
  const opener = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const options = useStartOptions(job.id, version, opened && job.generation !== null);
  const error = options.data || options.isFetching ? null : options.error;
  const [asked, setAsked] = useState<StartRequest | null>(null);
  /** starts in a new generation; asks first where another one is lost with it */
  const begin = (request: StartRequest) => {
    if (job.generation === null) start.mutate(request);
    else setAsked(request);
  };
  return (
    <>
      <StartProblem job={job} start={start} verb={verb} opener={opener} />
      <Menu width={320} opened={opened} onChange={setOpened}>
        <Menu.Target>
          <Button
            ref={opener}
            variant={secondary ? "default" : "filled"}
            loading={start.isPending}
            leftSection={<Icon name="play" size={14} />}
            rightSection={<Icon name="down" size={14} />}
          >
            {secondary ? `${verb} from…` : verb}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            Version {version}
            {version === job.version ? ", the latest" : ` of ${String(job.version)}`}
          </Menu.Label>
          {opened && <TestsNote job={job} version={version} />}
          {job.generation !== null && (
            <>
              {resumeChoices(version, options.data, error).map((choice) => (
                <Menu.Item
                  key={choice.version}
                  disabled={!choice.possible}
                  onClick={() => {
                    start.mutate({ from: "resume", version: choice.version });
                  }}
                >
                  {choice.title} <div className="soft">{choice.note}</div>
                </Menu.Item>
              ))}
              {error !== null && (
                <Menu.Item closeMenuOnClick={false} onClick={() => void options.refetch()}>
                  Try again
                </Menu.Item>
              )}
              <Menu.Divider />
              <Menu.Label>New generation: resets state and results</Menu.Label>
            </>
          )}
          <Menu.Item
            onClick={() => {
              begin({ from: "now", version });
            }}
          >
            From now <div className="soft">New records only</div>
          </Menu.Item>
          <Menu.Item
            onClick={() => {
              begin({ from: "earliest", version });
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
          begin({ from: "time", time, version });
        }}
      />
      <NewGeneration
        of={job}
        opened={asked !== null}
        onClose={() => {
          setAsked(null);
          opener.current?.focus(); // the menu's entry is gone
        }}
        onConfirm={() => {
          setAsked(null);
          if (asked) start.mutate(asked);
        }}
      />
    </>
  );
}

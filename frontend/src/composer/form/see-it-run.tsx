import { Button, Tooltip } from "@mantine/core";
import { Link } from "wouter";
import { Icon } from "../../ui/icons";
import { useCarriedStreams } from "../carried-streams";

/** Opens worked examples of a step's operator; not where one is open already. */
export function SeeItRun({ op, step }: { op: string; step: string }) {
  const isExample = useCarriedStreams() !== null;
  if (isExample) return null;
  return (
    <Tooltip
      label={`Examples of ${op} with their records and results, to run and to change. Your draft stays.`}
    >
      <Button
        component={Link}
        href={`/jobs/new/example/${op}`}
        size="compact-xs"
        variant="subtle"
        aria-label={`See ${op} of step ${step} run`}
        leftSection={<Icon name="play" size={14} />}
      >
        See it run
      </Button>
    </Tooltip>
  );
}

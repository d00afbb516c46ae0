import { Select } from "@mantine/core";
import { useChangePolicy } from "../../api/schemas";
import type { Policy } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { Badge } from "../../ui/status";
import { RequestError } from "../../ui/request-error";
import { Term } from "../../ui/term";
import { LEVELS, levelText, MODES, modeText } from "./compatibility-levels";
import classes from "./schemas.module.css";

interface PolicyFormProps {
  /** null: of all subjects */
  subject: string | null;
  /** empty: as all subjects */
  level: string;
  mode: string;
  /** what holds where they are empty */
  ofAll?: { level: string; mode: string };
}

// Mantine takes no empty text as a choice.
const AS_ALL = "-";

/** What new versions must do, and whether there may be any: a choice is saved at once. */
export function PolicyForm({ subject, level, mode, ofAll }: PolicyFormProps) {
  const change = useChangePolicy(subject);
  const mayEdit = useMay("edit");
  const asAll = (words: string) => (ofAll ? [{ value: AS_ALL, label: `Inherit default (${words})` }] : []);
  const put = (body: Policy) => {
    change.mutate(body);
  };
  return (
    <>
      <div className={classes["row"]}>
        <Select
          label={<Term>Compatibility</Term>}
          description="What new versions must be compatible with"
          allowDeselect={false}
          disabled={!mayEdit || change.isPending}
          data={[
            ...asAll(levelText(ofAll?.level ?? "")),
            ...LEVELS.map((value) => ({ value, label: `${levelText(value)} (${value})` })),
          ]}
          value={level || AS_ALL}
          onChange={(value) => {
            put({ level: LEVELS.find((one) => one === value) ?? "" });
          }}
          className={classes["choice"] ?? ""}
        />
        <Select
          label={<Term name="Registry mode">Mode</Term>}
          description="Whether new versions can be registered"
          allowDeselect={false}
          disabled={!mayEdit || change.isPending}
          data={[
            ...asAll(modeText(ofAll?.mode ?? "")),
            ...MODES.map((value) => ({ value, label: `${modeText(value)} (${value})` })),
          ]}
          value={mode || AS_ALL}
          onChange={(value) => {
            put({ mode: MODES.find((one) => one === value) ?? "" });
          }}
          className={classes["choice"] ?? ""}
        />
      </div>
      {change.isSuccess && (
        <p role="status">
          <Badge tone="good" plain>
            Saved
          </Badge>
        </p>
      )}
      <RequestError what="Couldn't save" error={change.error} />
    </>
  );
}

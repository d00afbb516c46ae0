import { Button } from "@mantine/core";
import { Panel } from "../ui/page";
import { Badge } from "../ui/status";
import classes from "./drafts.module.css";

export interface DraftOfTabs {
  /** another tab has kept another text, which a reload would show instead of this one */
  isElsewhere: boolean;
  /** keeps what this tab shows */
  keepHere: () => void;
}

/** The same draft is open in another tab: both stay on their screens, and their author chooses. */
export function ChangedElsewhere({ draft }: { draft: DraftOfTabs }) {
  if (!draft.isElsewhere) return null;
  return (
    <Panel>
      <div className={classes["notice"]} role="status">
        <p>
          <Badge tone="warn" plain>
            Changed in another tab
          </Badge>{" "}
          This tab still shows your text, but the browser keeps the other one. Reloading shows that instead.
        </p>
        <span className={classes["actions"]}>
          <Button variant="default" onClick={draft.keepHere}>
            Keep this draft
          </Button>
          <Button
            variant="default"
            onClick={() => {
              window.location.reload();
            }}
          >
            Reload
          </Button>
        </span>
      </div>
    </Panel>
  );
}

import { Badge } from "../../../ui/status";
import type { PageFinding } from "../diagnosis/page-findings";

/** What keeps rows from being seen while others are. A pause alone is said by its button. */
export function HiddenRows({ page, paused }: { page: readonly PageFinding[]; paused: boolean }) {
  const shown = page.filter(({ code, hides }) => hides && !(paused && code === "HIDDEN_BY_PAGE"));
  return shown.map(({ code, title, text, remedy }) => (
    <p key={code} role="status">
      <Badge tone="warn" plain>
        {title}
      </Badge>{" "}
      {text} {remedy}
    </p>
  ));
}

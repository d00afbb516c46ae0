import { useRuleCheck } from "../../../api/alerts";
import type { AlertRuleDocument } from "../../../api/types";
import { counted } from "../../../ui/format/numbers";
import { QueryResult } from "../../../ui/query-result";
import { Badge } from "../../../ui/status";
import { Time } from "../../../ui/time";
import classes from "../alerts.module.css";

/** The rule's problems or, without any, how often it would have fired. */
export function RulePreview({ document }: { document: AlertRuleDocument }) {
  const check = useRuleCheck(document);
  return (
    <QueryResult query={check.isPlaceholderData ? { ...check, data: undefined } : check} what="the check">
      {({ problems, condition, preview }) =>
        problems.length ? (
          <>
            <Badge tone="bad" plain>
              {counted(problems.length, "problem")}
            </Badge>
            <ul className={classes["problems"]}>
              {problems.map(({ path, message, hint }) => (
                <li key={path.join(".") + message}>
                  {message} <span className="soft">{hint}</span>
                </li>
              ))}
            </ul>
          </>
        ) : (
          <>
            <Badge tone="good" plain>
              Valid
            </Badge>{" "}
            <code>{condition}</code>
            <p>
              {preview?.fired === null || !preview ? (
                <span className="soft">{preview?.note}</span>
              ) : (
                <>
                  Would have fired <strong>{counted(preview.fired, "time")}</strong>
                  {preview.since && (
                    <>
                      {" "}
                      since <Time at={preview.since} />
                    </>
                  )}
                  , {counted(preview.groups, "alert")} still open ({counted(preview.looked_at, "row")} looked
                  at). <span className="soft">{preview.note}</span>
                </>
              )}
            </p>
          </>
        )
      }
    </QueryResult>
  );
}

import { Button } from "@mantine/core";
import { useState } from "react";
import { Confirm } from "../../ui/confirm";
import { Panel } from "../../ui/page";
import { Badge } from "../../ui/status";
import type { SqlDocument } from "./use-sql-document";

/** SQL that was typed and has problems: it is kept, and no part of the job yet. */
export function UnreadSql({ sql, isShown }: { sql: SqlDocument; isShown: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
  };
  return (
    <Panel>
      <div style={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 12 }} role="status">
        <span style={{ flex: "1 1 320px" }}>
          <Badge tone="warn" plain>
            SQL not applied
          </Badge>{" "}
          {unreadText(sql.diverged, isShown)}
        </span>
        <Button
          variant="default"
          onClick={() => {
            setAsking(true);
          }}
        >
          Discard SQL
        </Button>
      </div>
      <Confirm
        opened={isAsking}
        title="Discard SQL?"
        verb="Discard SQL"
        onClose={close}
        onConfirm={() => {
          close();
          sql.discard();
        }}
      >
        <p>
          The SQL that couldn&apos;t be read is lost. The job stays as the form, YAML and drawing show it.
          This can&apos;t be undone.
        </p>
      </Confirm>
    </Panel>
  );
}

/** What the text comes to. */
export function unreadText(diverged: boolean, isShown: boolean): string {
  const kept = isShown
    ? "This SQL has problems, so the job doesn't have it yet. It's kept in your draft."
    : "The SQL view has text with problems. It's kept in your draft; fix or discard it before you save.";
  return diverged
    ? `${kept} The job was changed in another view since; fixing the SQL applies it on top of that.`
    : kept;
}

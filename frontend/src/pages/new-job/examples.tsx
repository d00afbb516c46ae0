import { Button } from "@mantine/core";
import { useLocation } from "wouter";
import { ApiError } from "../../api/client";
import { useExamples, useInstallExample } from "../../api/documents";
import { QueryResult } from "../../ui/query-result";
import { Empty } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import classes from "./examples.module.css";

/** Jobs that bring their own streams. Take one as it is, or begin with its text. */
export function Examples({ onEdit }: { onEdit: (text: string) => void }) {
  const examples = useExamples();
  const install = useInstallExample();
  const [, navigate] = useLocation();
  return (
    <QueryResult query={examples} what="the examples">
      {({ results }) => (
        <>
          {install.error && <p role="alert"><Badge tone="bad" plain>{install.error instanceof ApiError ? install.error.message : "The example could not be set up"}</Badge></p>}
          {results.length === 0 && <Empty title="No examples are installed">Begin with the form or the text.</Empty>}
          <div className={classes["cards"]}>
            {results.map(({ id, title, summary, document_text, feed, feeds_itself }) => (
              <article key={id} className={classes["card"]}>
                <h2>{title}</h2>
                <p className="soft">{summary}</p>
                <pre tabIndex={0} aria-label={`Document of ${title}`}>{document_text}</pre>
                <p className="soft">{feeds_itself ? "Its records come from a program that starts with it." : <>Its records come from <code>{feed}</code>; start that where Kafka can be reached.</>}</p>
                <div className={classes["actions"]}>
                  <Button loading={install.isPending && install.variables === id} onClick={() => { install.mutate(id, { onSuccess: (job) => { navigate(`/jobs/${job.id}`); } }); }}>Use it</Button>
                  <Button variant="default" onClick={() => { onEdit(document_text); }}>Edit a copy</Button>
                </div>
              </article>
            ))}
          </div>
        </>
      )}
    </QueryResult>
  );
}

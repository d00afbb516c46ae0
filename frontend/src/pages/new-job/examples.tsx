import { Button } from "@mantine/core";
import { useLocation } from "wouter";
import { ApiError } from "../../api/client";
import { useExamples, useInstallExample } from "../../api/documents";
import { QueryResult } from "../../ui/query-result";
import { Empty } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import classes from "./examples.module.css";

/** Example jobs with their own streams: create one as it is, or edit a copy of its document. */
export function Examples({ onEdit }: { onEdit: (text: string) => void }) {
  const examples = useExamples();
  const install = useInstallExample();
  const [, navigate] = useLocation();
  return (
    <QueryResult query={examples} what="examples">
      {({ results }) => (
        <>
          {install.error && (
            <p role="alert">
              <Badge tone="bad" plain>
                {install.error instanceof ApiError
                  ? install.error.message
                  : "Couldn't create the job from this example"}
              </Badge>
            </p>
          )}
          {results.length === 0 && <Empty title="No examples installed">Start with the form or YAML.</Empty>}
          <div className={classes["cards"]}>
            {results.map(({ id, title, summary, document_text, feed, auto_feed }) => (
              <article key={id} className={classes["card"]}>
                <h2>{title}</h2>
                <p className="soft">{summary}</p>
                <pre tabIndex={0} aria-label={`Document of ${title}`}>
                  {document_text}
                </pre>
                <p className="soft">
                  Creates the streams and the job; you start the job on its page.{" "}
                  {auto_feed ? (
                    "The data generator starts at once."
                  ) : (
                    <>
                      For data, run <code>{feed}</code> on a host that can reach Kafka.
                    </>
                  )}
                </p>
                <div className={classes["actions"]}>
                  <Button
                    loading={install.isPending && install.variables === id}
                    onClick={() => {
                      install.mutate(id, {
                        onSuccess: (job) => {
                          navigate(`/jobs/${job.id}`);
                        },
                      });
                    }}
                  >
                    Create job from example
                  </Button>
                  <Button
                    variant="default"
                    onClick={() => {
                      onEdit(document_text);
                    }}
                  >
                    Edit a copy
                  </Button>
                </div>
              </article>
            ))}
          </div>
        </>
      )}
    </QueryResult>
  );
}

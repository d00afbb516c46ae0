import { ActionIcon, Button, Checkbox, Menu, NativeSelect, TextInput } from "@mantine/core";
import { problemsAt } from "../../../composer/problem-list";
import { Icon } from "../../../ui/icons";
import { Cell } from "./cell";
import type { EditProps } from "./edit-props";
import { Expectation } from "./expected-table";
import { RecordTable } from "./record-table";
import { addAt, addBatch, modelOf, removeAt, setAt, setName, type BatchRow } from "./test-model";
import classes from "./tests.module.css";

/** A test as a table: batches of records, what happens before each, and what must come. */
export function TestTable(edit: EditProps) {
  const { text, setText, problems } = edit;
  const model = modelOf(text);
  if (!model) return <p role="alert">Can't show this test as a table. Fix the error in the YAML view.</p>;
  const sources = Object.keys(edit.fields?.sources ?? {});
  return (
    <>
      <div className={classes["head"]}>
        <TextInput
          label="Name"
          value={model.name}
          error={problemsAt(problems, ["name"])}
          onChange={(event) => {
            setText(setName(text, event.currentTarget.value));
          }}
        />
        <TextInput
          label="Start"
          description="Durations such as 5s count from here"
          value={model.start}
          error={problemsAt(problems, ["start"])}
          onChange={(event) => {
            setText(setAt(text, ["start"], event.currentTarget.value));
          }}
        />
      </div>
      {model.batches.map((batch, at) => (
        <section key={at} className={classes["batch"]} aria-label={`Batch ${String(at + 1)}`}>
          <BatchHead at={at} batch={batch} sources={sources} only={model.batches.length === 1} {...edit} />
          <div className={classes["batchBody"]}>
            {Object.entries(batch.records).map(([source, rows]) => (
              <RecordTable key={source} batch={at} source={source} rows={rows} {...edit} />
            ))}
            <div className={classes["group"]}>
              {sources
                .filter((source) => !Object.hasOwn(batch.records, source))
                .map((source) => (
                  <Button
                    key={source}
                    size="xs"
                    variant="subtle"
                    aria-label={`Add records of ${source} to batch ${String(at + 1)}`}
                    onClick={() => {
                      setText(addAt(text, ["batches", at, "records", source], { values: {} }));
                    }}
                    leftSection={<Icon name="plus" size={14} />}
                  >
                    Records of {source}
                  </Button>
                ))}
            </div>
          </div>
          <Expectation
            path={["batches", at, "expect"]}
            expect={batch.expect}
            where={`in batch ${String(at + 1)}`}
            {...edit}
          />
        </section>
      ))}
      <Button
        variant="default"
        mb="md"
        style={{ alignSelf: "flex-start" }}
        onClick={() => {
          setText(addBatch(text, {}));
        }}
        leftSection={<Icon name="plus" size={14} />}
      >
        Add a batch
      </Button>
      <section className={classes["batch"]} aria-label="At the end">
        <div className={classes["batchHead"]}>
          <h2>At the end</h2>
          <span className="soft">The newest row of each identity, over all batches</span>
        </div>
        <Expectation path={["expect"]} expect={model.expect} where="at the end" {...edit} />
      </section>
    </>
  );
}

interface BatchHeadProps extends EditProps {
  at: number;
  batch: BatchRow;
  sources: readonly string[];
  only: boolean;
}

/** What happens before a batch: a restart, time that passes, sources that fall silent, heartbeats. */
function BatchHead({ at, batch, sources, only, text, setText, problems }: BatchHeadProps) {
  const path = ["batches", at] as const;
  const number = String(at + 1);
  const silent = batch.silent;
  return (
    <div className={classes["batchHead"]}>
      <h2>Batch {number}</h2>
      {batch.restart && (
        <NativeSelect
          size="xs"
          aria-label={`Restart before batch ${number}`}
          value={batch.restart}
          data={[
            { value: "clean", label: "After a restart" },
            { value: "crash", label: "After a crash" },
            { value: "", label: "No restart" },
          ]}
          onChange={(event) => {
            setText(setAt(text, [...path, "restart"], event.currentTarget.value));
          }}
        />
      )}
      {batch.advance && (
        <label className={classes["clock"]}>
          <span className="soft">Time passes</span>
          <span className={classes["cells"]}>
            <Cell
              label={`Time that passes before batch ${number}`}
              text={batch.advance}
              problem={problemsAt(problems, [...path, "advance"].map(String))}
              onChange={(typed) => {
                setText(setAt(text, [...path, "advance"], typed.trim()));
              }}
            />
          </span>
        </label>
      )}
      {silent && (
        <fieldset className={classes["clock"]} style={{ border: 0, padding: 0, margin: 0 }}>
          <legend className="visually-hidden">Silent from batch {number} on</legend>
          <span className="soft">Silent from here on:</span>
          {sources.map((name) => (
            <Checkbox
              key={name}
              size="xs"
              label={name}
              checked={silent.includes(name)}
              onChange={(event) => {
                const next = event.currentTarget.checked
                  ? [...silent, name]
                  : silent.filter((other) => other !== name);
                setText(setAt(text, [...path, "silent"], next));
              }}
            />
          ))}
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={`Remove silence from batch ${number}`}
            onClick={() => {
              setText(removeAt(text, [...path, "silent"]));
            }}
          >
            <Icon name="close" size={12} />
          </ActionIcon>
        </fieldset>
      )}
      {Object.entries(batch.heartbeats).map(([name, moment]) => (
        <label key={name} className={classes["clock"]}>
          <span className="soft">Heartbeat of {name} at</span>
          <span className={classes["cells"]}>
            <Cell
              label={`Heartbeat of ${name} before batch ${number}`}
              text={moment}
              problem={problemsAt(problems, [...path, "heartbeats", name].map(String))}
              onChange={(typed) => {
                setText(setAt(text, [...path, "heartbeats", name], typed.trim()));
              }}
            />
          </span>
        </label>
      ))}
      <span className={classes["right"]}>
        <Menu>
          <Menu.Target>
            <Button size="xs" variant="subtle" aria-label={`What happens before batch ${number}`}>
              Before it…
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              onClick={() => {
                setText(setAt(text, [...path, "advance"], "1m"));
              }}
            >
              Time passes <div className="soft">Streams go on, unless they are silent</div>
            </Menu.Item>
            <Menu.Item
              onClick={() => {
                setText(setAt(text, [...path, "silent"], silent ?? []));
              }}
            >
              A source falls silent
            </Menu.Item>
            {sources.map((name) => (
              <Menu.Item
                key={name}
                onClick={() => {
                  setText(setAt(text, [...path, "heartbeats", name], "1m"));
                }}
              >
                Heartbeat of {name}
              </Menu.Item>
            ))}
            <Menu.Item
              onClick={() => {
                setText(setAt(text, [...path, "restart"], "clean"));
              }}
            >
              The job restarts
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        {!only && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove batch ${number}`}
            onClick={() => {
              setText(removeAt(text, path));
            }}
          >
            <Icon name="trash" size={14} />
          </ActionIcon>
        )}
      </span>
    </div>
  );
}

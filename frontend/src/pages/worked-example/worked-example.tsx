import { NativeSelect } from "@mantine/core";
import { CarriedStreamsContext } from "../../composer/carried-streams";
import { OPERATORS } from "../../composer/operators";
import { workedExamples } from "../../composer/worked-examples";
import { Page } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { useUrlState } from "../../ui/url-state";
import { OpenExample } from "./open-example";

/** Worked examples of an operator, opened as a document with its test. */
export default function WorkedExamplePage({ op }: { op: string }) {
  const examples = workedExamples(op);
  const [chosen, choose] = useUrlState("example", "1");
  const number = Math.min(Math.max(Number(chosen) || 1, 1), Math.max(examples.length, 1));
  const example = examples[number - 1];
  const title = `See it run: ${OPERATORS[op]?.title ?? op}`;
  const parent = { label: "New job", href: "/jobs/new" };
  if (!example)
    return (
      <Page title="See it run" parent={parent}>
        <Empty title={`No examples of “${op}”`}>Open one from the form of a step.</Empty>
      </Page>
    );
  return (
    <Page title={title} parent={parent}>
      <p className="soft">
        {OPERATORS[op]?.does && `${op}: ${OPERATORS[op].does}. `}A document, the records of its streams, and
        the rows that must come, as Weir itself is tested by them. Run it on Spark, change it, and run it
        again: the streams are the example's own, and nothing is written.
      </p>
      {examples.length > 1 && (
        <NativeSelect
          label="Example"
          value={String(number)}
          data={examples.map((one, at) => ({ value: String(at + 1), label: one.title }))}
          onChange={(event) => {
            choose(event.currentTarget.value);
          }}
        />
      )}
      <CarriedStreamsContext value={example.streams}>
        <OpenExample key={number} name={`${op}.${String(number)}`} example={example} />
      </CarriedStreamsContext>
    </Page>
  );
}

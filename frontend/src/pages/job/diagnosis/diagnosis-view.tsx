import type { CheckedPlace, Diagnosis, DiagnosisFact } from "../../../api/types";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { Badge, type Tone } from "../../../ui/status";
import { Ago, Time } from "../../../ui/time";
import { factText } from "./fact-text";
import { placeText, statusText } from "./place-text";
import classes from "./diagnosis.module.css";

const TONES: Readonly<Record<CheckedPlace["status"], Tone>> = {
  ok: "good",
  cause: "bad",
  unknown: "idle",
  not_checked: "idle",
};

const BASES: Readonly<Record<Diagnosis["cause"]["basis"], string>> = {
  reported: "From what the engine reported",
  broker: "From what Kafka says now",
  sample: "From the newest records",
};

/** The first cause with its evidence and what to do, and the walk that led to it. */
export function DiagnosisView({ diagnosis: { at, cause, checks } }: { diagnosis: Diagnosis }) {
  const tone = cause.waits ? (cause.code === "OUTPUT_FLOWS" ? "good" : "warn") : "bad";
  return (
    <div className={classes["diagnosis"]}>
      <div role="status">
        <h3 className={classes["title"]}>
          <Badge tone={tone} plain>
            {cause.title}
          </Badge>
          <span className="soft">{placeText(cause.place)}</span>
        </h3>
        <p>{cause.text}</p>
        {cause.remedy && (
          <p>
            <strong>Next:</strong> {cause.remedy}
          </p>
        )}
      </div>
      {cause.facts.length > 0 && (
        <DescriptionList>
          {cause.facts.map((fact) => (
            <DescriptionItem key={fact.label} label={fact.label}>
              <FactValue fact={fact} />
            </DescriptionItem>
          ))}
        </DescriptionList>
      )}
      <ol className={classes["walk"]} aria-label="Checked from source to output">
        {checks.map((check) => (
          <li key={placeText(check.place)}>
            <Badge tone={check.status === "cause" ? tone : TONES[check.status]} plain>
              {statusText(check.status)}
            </Badge>
            <span className={classes["place"]}>{placeText(check.place)}</span>
            <span className="soft">{check.text}</span>
          </li>
        ))}
      </ol>
      <p className="soft">
        {BASES[cause.basis]} · checked <Ago at={at} />
      </p>
    </div>
  );
}

function FactValue({ fact }: { fact: DiagnosisFact }) {
  if (fact.kind === "instant") return <Time at={typeof fact.value === "string" ? fact.value : null} long />;
  return <>{factText(fact)}</>;
}

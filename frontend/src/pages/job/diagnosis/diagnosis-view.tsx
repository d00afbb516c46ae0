import type { CheckedPlace, Diagnosis, DiagnosisFact } from "../../../api/types";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { Badge, type Tone } from "../../../ui/status";
import { Ago, Time } from "../../../ui/time";
import { factText } from "./fact-text";
import type { PageFinding } from "./page-findings";
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

const FLOWS: readonly string[] = ["OUTPUT_FLOWS", "KEY_HAS_ROW"];

function toneOf({ waits, code }: Diagnosis["cause"]): Tone {
  if (!waits) return "bad";
  return FLOWS.includes(code) ? "good" : "warn";
}

interface DiagnosisViewProps {
  diagnosis: Diagnosis;
  /** what the page itself does */
  page: readonly PageFinding[];
}

/** The first cause with its evidence and what to do, and the walk that led to it. */
export function DiagnosisView({ diagnosis: { at, cause, checks }, page }: DiagnosisViewProps) {
  return (
    <div className={classes["diagnosis"]}>
      <Findings cause={cause} page={page} />
      <ol className={classes["walk"]} aria-label="Checked from source to output">
        {checks.map((check) => (
          <li key={placeText(check.place)}>
            <Badge tone={check.status === "cause" ? toneOf(cause) : TONES[check.status]} plain>
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

interface FindingsProps {
  cause: Diagnosis["cause"];
  page: readonly PageFinding[];
}

/** The server's cause; before it what the page hides, after it what else the page does. */
export function Findings({ cause, page }: FindingsProps) {
  return (
    <>
      {page
        .filter(({ hides }) => hides)
        .map((finding) => (
          <FindingView key={finding.code} finding={finding} tone="warn" place="This page" />
        ))}
      <FindingView finding={cause} tone={toneOf(cause)} place={placeText(cause.place)} />
      {page
        .filter(({ hides }) => !hides)
        .map((finding) => (
          <FindingView key={finding.code} finding={finding} tone="idle" place="This page" />
        ))}
    </>
  );
}

interface FindingViewProps {
  finding: Pick<PageFinding, "title" | "text" | "remedy" | "facts">;
  tone: Tone;
  place: string;
}

function FindingView({ finding: { title, text, remedy, facts }, tone, place }: FindingViewProps) {
  return (
    <>
      <div role="status">
        <h3 className={classes["title"]}>
          <Badge tone={tone} plain>
            {title}
          </Badge>
          <span className="soft">{place}</span>
        </h3>
        <p>{text}</p>
        {remedy && (
          <p>
            <strong>Next:</strong> {remedy}
          </p>
        )}
      </div>
      {facts.length > 0 && (
        <DescriptionList>
          {facts.map((fact) => (
            <DescriptionItem key={fact.label} label={fact.label}>
              <FactValue fact={fact} />
            </DescriptionItem>
          ))}
        </DescriptionList>
      )}
    </>
  );
}

function FactValue({ fact }: { fact: DiagnosisFact }) {
  if (fact.kind === "instant") return <Time at={typeof fact.value === "string" ? fact.value : null} long />;
  return <>{factText(fact)}</>;
}

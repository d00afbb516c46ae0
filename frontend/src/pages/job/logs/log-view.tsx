import { Button } from "@mantine/core";
import { memo, useLayoutEffect, useRef, useState } from "react";
import type { LogLine } from "../../../api/types";
import { Icon } from "../../../ui/icons";
import { LoadMore } from "../../../ui/load-more";
import { Badge, type Tone } from "../../../ui/status";
import { instant, utcTime } from "../../../ui/format/times";
import { useToday } from "../../../ui/time";
import { shortLogger } from "./log-lines";
import { lineTime } from "./line-time";
import classes from "./logs.module.css";

const LONG_MESSAGE = 400; // characters
const AT_END_PX = 24;
const TONES: Readonly<Record<LogLine["level"], Tone>> = { info: "idle", warning: "warn", error: "bad" };
const LABELS: Readonly<Record<LogLine["level"], string>> = {
  info: "Info",
  warning: "Warning",
  error: "Error",
};

interface LogViewProps {
  /** the oldest first */
  lines: readonly LogLine[];
  follow: boolean;
  onFollow: (follow: boolean) => void;
  older: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** The lines, the newest at the bottom, which stays in sight while they are followed. */
export function LogView({ lines, follow, onFollow, older }: LogViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const [unseenSince, setUnseenSince] = useState<string | null>(null);
  const newest = lines.at(-1)?.id ?? null;
  const oldest = lines[0]?.id;
  useLayoutEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [follow, newest]);
  // Older lines come in above: what is in sight stays where it is.
  const before = useRef<{ oldest: string | undefined; height: number }>({ oldest, height: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (!follow && before.current.oldest !== oldest)
      element.scrollTop += element.scrollHeight - before.current.height;
    before.current = { oldest, height: element.scrollHeight };
  }, [follow, oldest, newest]);
  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < AT_END_PX;
    if (atEnd === follow) return;
    setUnseenSince(atEnd ? null : newest);
    onFollow(atEnd);
  };
  const unseen = follow ? 0 : unseenCount(lines, unseenSince);
  return (
    <div className={classes["frame"]}>
      <div
        ref={box}
        className={classes["lines"]}
        role="log"
        aria-label="Log lines"
        aria-live={follow ? "polite" : "off"}
        tabIndex={0}
        onScroll={onScroll}
      >
        <LoadMore query={older} />
        {lines.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </div>
      {unseen > 0 && (
        <Button
          className={classes["jump"]}
          leftSection={<Icon name="down" size={14} />}
          onClick={() => {
            setUnseenSince(null);
            onFollow(true);
          }}
        >
          {unseen === 1 ? "1 new line" : `${String(unseen)} new lines`}
        </Button>
      )}
    </div>
  );
}

/** How many lines came after the one that was the newest when following ended. */
function unseenCount(lines: readonly LogLine[], since: string | null): number {
  if (since === null) return 0;
  const at = lines.findIndex(({ id }) => id === since);
  return at < 0 ? 0 : lines.length - 1 - at;
}

/** Drawn once: thousands of lines stand while new ones come. */
const Line = memo(function Line({ line }: { line: LogLine }) {
  useToday();
  const at = instant(line.at);
  const origin = line.origin === "spark" ? "Spark" : "Engine";
  return (
    <div className={classes["line"]} data-level={line.level}>
      <time dateTime={line.at} title={`${utcTime(at)} · start # ${String(line.epoch)} · ${line.engine}`}>
        {lineTime(at)}
      </time>
      <Badge tone={TONES[line.level]} plain>
        {LABELS[line.level]}
      </Badge>
      <div className={classes["said"]}>
        <Message text={line.message} />
        {line.detail && (
          <details>
            <summary>Details</summary>
            <pre tabIndex={0}>{line.detail}</pre>
          </details>
        )}
      </div>
      <span className={`soft ${classes["logger"] ?? ""}`} title={`${origin}: ${line.logger}`}>
        {shortLogger(line.logger)}
      </span>
    </div>
  );
});

function Message({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  if (text.length <= LONG_MESSAGE) return <>{text}</>;
  return (
    <>
      {whole ? text : `${text.slice(0, LONG_MESSAGE)}…`}{" "}
      <button
        type="button"
        className={classes["more"]}
        aria-expanded={whole}
        onClick={() => {
          setWhole(!whole);
        }}
      >
        {whole ? "Show less" : `Show all (${text.length.toLocaleString("en-US")} characters)`}
      </button>
    </>
  );
}

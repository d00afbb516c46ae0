import { Button, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useMemo, useState, type ReactNode } from "react";
import { useSearchParams } from "wouter";
import { localInputText, zoneName } from "../ui/format/times";
import { COMPARED, lengths, movedEnd, parseRange, typedEnd, type HistoryRange } from "./range";
import classes from "./history.module.css";

/** The range that the page's address names, so that a link shows what its sender saw. */
export function useRange(): [HistoryRange, (change: Partial<HistoryRange>) => void] {
  const [search, setSearch] = useSearchParams();
  const [minutes, until, ago] = [search.get("range"), search.get("until"), search.get("compare")];
  const range = useMemo(() => parseRange(minutes ?? "", until ?? "", ago ?? ""), [minutes, until, ago]);
  const change = (changed: Partial<HistoryRange>) => {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        const { minutes: length, until: end, ago: shift } = { ...range, ...changed };
        put(next, "range", length === 60 ? null : String(length));
        put(next, "until", end);
        put(next, "compare", shift === 0 ? null : String(shift));
        return next;
      },
      { replace: true },
    );
  };
  return [range, change];
}

function put(search: URLSearchParams, name: string, value: string | null) {
  if (value === null) search.delete(name);
  else search.set(name, value);
}

interface RangeBarProps {
  range: HistoryRange;
  onChange: (change: Partial<HistoryRange>) => void;
  /** further choices of the page */
  children?: ReactNode;
}

/** How long, until when, and compared with what. Dragging over a chart chooses a range, too. */
export function RangeBar({ range, onChange, children }: RangeBarProps) {
  return (
    <div className={classes["bar"]}>
      <SegmentedControl
        aria-label="Range"
        data={lengths(range.minutes)}
        value={String(range.minutes)}
        onChange={(minutes) => {
          onChange({ minutes: Number(minutes) });
        }}
      />
      <Button.Group>
        <Button
          variant="default"
          onClick={() => {
            onChange({ until: movedEnd(range, -1) });
          }}
        >
          Earlier
        </Button>
        <Button
          variant="default"
          disabled={range.until === null}
          onClick={() => {
            onChange({ until: movedEnd(range, 1) });
          }}
        >
          Later
        </Button>
        <Button
          variant="default"
          disabled={range.until === null}
          onClick={() => {
            onChange({ until: null });
          }}
        >
          Now
        </Button>
      </Button.Group>
      <EndInput
        until={range.until}
        onChange={(until) => {
          onChange({ until });
        }}
      />
      <Select
        aria-label="Compare with"
        allowDeselect={false}
        data={COMPARED}
        value={String(range.ago)}
        onChange={(ago) => {
          onChange({ ago: Number(ago) });
        }}
      />
      {children}
    </div>
  );
}

/** It is typed part by part, and holds no time, or one of the year 2, until the last of them. */
function EndInput({ until, onChange }: { until: string | null; onChange: (until: string | null) => void }) {
  const shown = until === null ? "" : localInputText(new Date(until)).slice(0, 16);
  const [typed, setTyped] = useState(shown);
  const [before, setBefore] = useState(shown);
  if (shown !== before) {
    setBefore(shown);
    setTyped(shown);
  }
  return (
    <TextInput
      type="datetime-local"
      aria-label={`End of the range, ${zoneName()}`}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const end = typedEnd(value);
        if (end !== undefined && value !== shown) onChange(end);
      }}
      onBlur={() => {
        if (typed === "" && until !== null) onChange(null);
        else if (typedEnd(typed) === undefined) setTyped(shown);
      }}
    />
  );
}

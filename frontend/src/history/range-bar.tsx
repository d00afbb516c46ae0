import { Button, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useMemo, type ReactNode } from "react";
import { useSearchParams } from "wouter";
import { zoneName } from "../ui/format/times";
import { COMPARED, lengths, movedEnd, parseRange, type HistoryRange } from "./range";
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
      <TextInput
        type="datetime-local"
        aria-label={`End of the range, ${zoneName()}`}
        value={range.until === null ? "" : localText(range.until)}
        onChange={({ currentTarget: { value } }) => {
          const end = new Date(value);
          onChange({ until: Number.isNaN(end.getTime()) ? null : end.toISOString() });
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

/** As the input wants it: the person's own zone, to the minute. */
function localText(until: string): string {
  const at = new Date(until);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

import { Button, Popover } from "@mantine/core";
import { OptionalNumber } from "../../ui/number-field";
import { useUrlState } from "../../ui/url-state";
import classes from "./stream.module.css";

const MIB = 1024 * 1024;
const DEFAULTS = { records: 200_000, mib: 8, seconds: 4 };

function read(text: string, least: number, most: number): number | undefined {
  const value = Number(text);
  return text !== "" && Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : undefined;
}

/** The limits of one scan that were set. */
export function useScanLimits(): { max_records?: number; max_bytes?: number; seconds?: number } {
  const records = read(useUrlState("max_records", "")[0], 1, 200_000);
  const mib = read(useUrlState("max_mib", "")[0], 0.01, 64);
  const seconds = read(useUrlState("seconds", "")[0], 0.1, 10);
  return {
    ...(records !== undefined && { max_records: Math.round(records) }),
    ...(mib !== undefined && { max_bytes: Math.round(mib * MIB) }),
    ...(seconds !== undefined && { seconds }),
  };
}

/** Limits of one scan. A search continues with the next scan and shows why each one stopped. */
export function ScanLimitsForm() {
  const bounds = useScanLimits();
  const set = Object.keys(bounds).length;
  return (
    <Popover width={300} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default">Scan limits{set > 0 && ` (${String(set)})`}</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes["produce"]}>
          <p className="soft">Limits per scan. “Load more” continues where it stopped.</p>
          <LimitInput name="max_records" label="Max records" most={200_000} usual={DEFAULTS.records} />
          <LimitInput name="max_mib" label="Max size (MiB)" most={64} usual={DEFAULTS.mib} />
          <LimitInput name="seconds" label="Max time (s)" most={10} usual={DEFAULTS.seconds} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function LimitInput({
  name,
  label,
  most,
  usual,
}: {
  name: string;
  label: string;
  most: number;
  usual: number;
}) {
  const [value, setValue] = useUrlState(name, "");
  return (
    <OptionalNumber
      label={label}
      description={`Up to ${most.toLocaleString("en-US")}; default ${usual.toLocaleString("en-US")}`}
      min={0}
      max={most}
      thousandSeparator=","
      allowDecimal={name !== "max_records"}
      value={value === "" || !Number.isFinite(Number(value)) ? null : Number(value)}
      onChange={(next) => {
        setValue(next === null ? null : String(next));
      }}
    />
  );
}

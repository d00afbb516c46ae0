import { Button, NumberInput, Popover } from "@mantine/core";
import { useUrlState } from "../../ui/url-state";
import classes from "./stream.module.css";

const MIB = 1024 * 1024;
const DEFAULTS = { records: 200_000, mib: 8, seconds: 4 };

function read(text: string, least: number, most: number): number | undefined {
  const value = Number(text);
  return text !== "" && Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : undefined;
}

/** How far one look may go, where somebody said so. */
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

/** What one look may cost; a search goes on with the next look, and says why each one ended. */
export function ScanLimitsForm() {
  const bounds = useScanLimits();
  const set = Object.keys(bounds).length;
  return (
    <Popover width={300} position="bottom-end" trapFocus returnFocus>
      <Popover.Target><Button variant="default">Bounds{set > 0 && ` (${String(set)} set)`}</Button></Popover.Target>
      <Popover.Dropdown>
        <div className={classes["produce"]}>
          <p className="soft">How far one look goes before it says what it found. “Go on looking” begins where it ended.</p>
          <LimitInput name="max_records" label="Records" most={200_000} usual={DEFAULTS.records} />
          <LimitInput name="max_mib" label="MiB" most={64} usual={DEFAULTS.mib} />
          <LimitInput name="seconds" label="Seconds" most={10} usual={DEFAULTS.seconds} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function LimitInput({ name, label, most, usual }: { name: string; label: string; most: number; usual: number }) {
  const [value, setValue] = useUrlState(name, "");
  return <NumberInput label={label} description={`at most ${most.toLocaleString("en-US")}; empty: ${usual.toLocaleString("en-US")}`} min={0} max={most} thousandSeparator="," value={value === "" ? "" : Number(value)} onChange={(next) => { setValue(next === "" ? null : String(next)); }} />;
}

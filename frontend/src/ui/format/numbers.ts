/** Numbers as people read them: thousands separators, a unit, no false precision. */

/** No sign where nothing is left to be negative: never −0. */
const SIGN = { signDisplay: "negative" } as const;
const integer = new Intl.NumberFormat("en-US", { ...SIGN, maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat("en-US", { ...SIGN, maximumSignificantDigits: 3 });
const short = new Intl.NumberFormat("en-US", { ...SIGN, maximumFractionDigits: 4 });
const exact = new Intl.NumberFormat("en-US", { ...SIGN, maximumFractionDigits: 12 });
const powers = { ...SIGN, notation: "scientific" } as const;
const shortPower = new Intl.NumberFormat("en-US", { ...powers, maximumFractionDigits: 3 });
const exactPower = new Intl.NumberFormat("en-US", { ...powers, maximumFractionDigits: 15 });

/** Rows of zeros before or after a number can't be read: a power of ten stands for them. */
function needsPower(value: number, least: number): boolean {
  const size = Math.abs(value);
  return (size > 0 && size < least) || (size >= 1e15 && size < Infinity);
}

/** What stands where a number is not known. Never 0, which would be a claim. */
export const UNKNOWN = "–";

/** `1234567` → `1,234,567`. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? UNKNOWN : integer.format(value);
}

/** A count with its noun: `1 message`, `1,200 messages`. */
export function counted(value: number | null | undefined, noun: string, plural = `${noun}s`): string {
  if (value === null || value === undefined) return UNKNOWN;
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** A measured number: up to three significant digits below 1,000, integers above. */
export function measured(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  return Math.abs(value) >= 1000 ? integer.format(value) : fine.format(value);
}

/** `38.2` → `38.2 rows/s`. */
export function rate(perSecond: number | null | undefined, noun = "rows"): string {
  return perSecond === null || perSecond === undefined ? UNKNOWN : `${measured(perSecond)} ${noun}/s`;
}

/** `0.024` → `2.4%`; 100% only of all, 0% only of none. NaN, of nothing: `–`. */
export function share(part: number): string {
  if (Number.isNaN(part)) return UNKNOWN;
  if (part >= 1) return "100%";
  if (part <= 0) return "0%";
  if (part < 0.001) return "<0.1%";
  if (part > 0.999) return ">99.9%";
  return `${fine.format(part * 100)}%`;
}

/** A number of a result row in a table: four decimals are enough to compare, and never 0 for something. */
export function brief(value: number): string {
  return needsPower(value, 0.0001) ? shortPower.format(value) : short.format(value);
}

/** A number of a result row, with all the digits that matter. */
export function plain(value: number): string {
  return needsPower(value, 1e-6) ? exactPower.format(value) : exact.format(value);
}

const SIZES = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** `1536` → `1.5 KiB`. */
export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  let rest = value;
  let unit = 0;
  while (Math.round(rest) >= 1024 && unit < SIZES.length - 1) {
    rest /= 1024;
    unit += 1;
  }
  return rest === 1 && unit === 0 ? "1 byte" : `${measured(rest)} ${SIZES[unit] ?? "bytes"}`;
}

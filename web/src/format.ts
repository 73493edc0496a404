/** Formats quantities for display: three digits and a suitable unit. */

/** Rounds to significant digits, without exponent or trailing zeros. */
export function digits(value: number, significant = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  const places = Math.max(0, significant - 1 - size);
  if (places > 12) return value.toExponential(significant - 1);
  const text = value.toFixed(places);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Formats an integer with thin spaces between groups of three digits. */
export function count(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

const timeUnits: [number, string][] = [
  [1e12, "s"],
  [1e9, "ms"],
  [1e6, "µs"],
  [1e3, "ns"],
  [1, "ps"],
];

export function time(ps: number, significant = 3): string {
  return scaled(ps, timeUnits, significant);
}

const byteUnits: [number, string][] = [
  [2 ** 50, "PiB"],
  [2 ** 40, "TiB"],
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
  [1, "B"],
];

export function bytes(value: number, significant = 3): string {
  return scaled(value, byteUnits, significant);
}

const siUnits: [number, string][] = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
];

/** Formats an amount of traffic in powers of ten, as the fabricast command does. */
export function traffic(value: number, significant = 4): string {
  return scaled(value, siUnits, significant) + "B";
}

export function rate(bytesPerSecond: number, significant = 3): string {
  return scaled(bytesPerSecond, siUnits, significant) + "B/s";
}

export function si(value: number, unit = "", significant = 3): string {
  const text = scaled(value, siUnits, significant);
  return unit === "" ? text.trim() : text + unit;
}

export function percent(share: number, significant = 3): string {
  if (!Number.isFinite(share)) return "–";
  if (share !== 0 && Math.abs(share) < 0.0005) return "< 0.1\u202f%";
  return digits(Math.abs(share) < 0.1 ? Math.round(share * 1e4) / 100 : share * 100, significant) + "\u202f%";
}

function scaled(value: number, units: [number, string][], significant: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  let chosen = units[units.length - 1];
  for (const unit of units) {
    // Otherwise 999.6 of a unit would be formatted as 1000.
    if (size >= unit[0] * (unit[0] > 1 ? 0.9995 : 1)) {
      chosen = unit;
      break;
    }
  }
  return digits(value / chosen[0], significant) + "\u202f" + chosen[1];
}

/** Formats a value with the given unit of the manifest. */
export function quantity(value: number | string | boolean | null | undefined, unit: string): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  switch (unit) {
    case "ps":
      return time(value);
    case "bytes":
    case "B":
      return traffic(value);
    case "bytes/s":
    case "bytes_per_s":
    case "B/s":
      return rate(value);
    case "fraction":
    case "share":
      return percent(value);
    case "s":
      return seconds(value);
    case "count":
    case "":
      return Number.isInteger(value) && Math.abs(value) < 1e9 ? count(value) : si(value, "", 4);
    default:
      return digits(value, 4) + "\u202f" + unit;
  }
}

/** Formats a figure with its unit. The unit is omitted if the figure's name contains it, as "messages" does. */
export function figure(value: number | string | boolean | null | undefined, unit: string, what: string): string {
  return quantity(value, unit.length > 2 && what.includes(unit) ? "count" : unit);
}

/** Formats a ratio, such as "20x" or "0.24x"; near 1 with one more digit; "=" for equal values. */
export function ratio(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 1) return "=";
  return digits(value, value >= 0.9 && value < 1 ? 3 : value >= 1 && value < 1.1 ? 4 : 3) + "x";
}

/** Formats a wall-clock time: "2 min 5 s". */
export function seconds(s: number): string {
  if (!Number.isFinite(s) || s < 0) return "–";
  if (s < 60) return digits(s, 3) + "\u202fs";
  const whole = Math.round(s);
  if (whole < 3600) return `${Math.floor(whole / 60)}\u202fmin ${whole % 60}\u202fs`;
  return `${Math.floor(whole / 3600)}\u202fh ${Math.floor((whole % 3600) / 60)}\u202fmin`;
}

/** A unit and factor suitable for an axis with values up to the largest. */
export function axisUnit(largest: number, unit: string): { factor: number; unit: string } {
  const pick = (units: [number, string][], tail = "") => {
    const chosen = units.find(([size]) => largest >= size) ?? units[units.length - 1];
    return { factor: chosen[0], unit: chosen[1] + tail };
  };
  switch (unit) {
    case "ps":
      return pick(timeUnits);
    case "bytes":
    case "B":
      return pick(byteUnits);
    case "bytes/s":
    case "bytes_per_s":
      return pick(siUnits, "B/s");
    case "fraction":
    case "share":
      return { factor: 0.01, unit: "%" };
    case "s":
      return { factor: 1, unit: "s" };
    case "count":
    case "":
      return { factor: 1, unit: "" };
    default:
      return { factor: 1, unit };
  }
}

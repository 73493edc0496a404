/** Converts times and lists of integers to and from the syntax of commands, and quotes words for a shell. */

const units: [string, number][] = [
  ["s", 12],
  ["ms", 9],
  ["us", 6],
  ["ns", 3],
  ["ps", 0],
];

/** Formats a time in ps exactly, in the largest unit in which it is at least 1. */
export function exactTime(ps: number): string {
  const whole = BigInt(Math.round(ps));
  const [unit, power] = units.find(([, p]) => whole >= 10n ** BigInt(p)) ?? units[units.length - 1];
  const digits = whole.toString().padStart(power + 1, "0");
  const rest = digits.slice(digits.length - power).replace(/0+$/, "");
  return digits.slice(0, digits.length - power) + (power > 0 && rest !== "" ? "." + rest : "") + unit;
}

/** Parses a time such as 1.2ms to ps; null if the text is invalid. */
export function parseTime(text: string): number | null {
  const found = /^(\d+(?:\.\d*)?|\.\d+)\s*(s|ms|us|µs|ns|ps)$/.exec(text.trim());
  if (!found) return null;
  const power = units.find(([u]) => u === found[2].replace("µ", "u"))![1];
  return Math.round(Number(found[1] + "e" + power));
}

/** Parses a list of integers such as 1, 2, 5; null if the text is invalid. */
export function parseNumbers(text: string): number[] | null {
  const words = text.split(/[\s,]+/).filter((w) => w !== "");
  return words.every((w) => /^\d{1,9}$/.test(w)) ? words.map(Number) : null;
}

/** Quotes a word for a shell, if necessary. */
export function quoted(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

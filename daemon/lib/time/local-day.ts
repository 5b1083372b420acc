const two = (part: number) => String(part).padStart(2, '0');

/** Returns the day of a time in the time zone of this machine: YYYY-MM-DD. */
export function toLocalDay(epochMs: number): string {
  const date = new Date(epochMs);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Returns the beginning of the next day in the time zone of this machine, in epoch milliseconds. */
export function nextLocalMidnight(epochMs: number): number {
  const date = new Date(epochMs);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}

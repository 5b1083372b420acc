/** Code fences that are looked into. */
const CANDIDATES_MAX = 20;
const FENCE = /```[A-Za-z0-9_+-]{0,20}\s([\s\S]*?)```/g;

/**
 * The JSON value that an answer in words holds and for which `fits` is true: the whole answer, what stands in one of its code fences, or its outermost
 * object or list. Undefined when there is none, or when fences hold several that differ.
 */
export function jsonIn(answer: string, fits: (value: unknown) => boolean): { value: unknown } | undefined {
  const whole = parsed(answer);
  if (whole && fits(whole.value)) return whole;
  const fenced = [...answer.matchAll(FENCE)].slice(0, CANDIDATES_MAX).flatMap(([, text = '']) => parsed(text) ?? []);
  const fitting = fenced.filter(({ value }) => fits(value));
  const [first] = fitting;
  if (first) return new Set(fitting.map(({ value }) => JSON.stringify(value))).size === 1 ? first : undefined;
  for (const [open, close] of ['{}', '[]']) {
    const start = answer.indexOf(open as string);
    const end = answer.lastIndexOf(close as string);
    const found = start === -1 || end <= start ? undefined : parsed(answer.slice(start, end + 1));
    if (found && fits(found.value)) return found;
  }
  return undefined;
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** Maximum number of code fences that are searched. */
const CANDIDATES_MAX = 20;
const FENCE = /```[A-Za-z0-9_+-]{0,20}\s([\s\S]*?)```/g;

/**
 * Extracts from a textual answer the JSON value for which `fits` returns true: the whole answer, the content of a code
 * fence, or the outermost object or array. Undefined when there is none, or when code fences contain several
 * different matches.
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

/** Matches dates in a text: `2026-12-05`, with `19:30` when a time follows. */
const DATE = /\b(\d{4})-(\d{2})-(\d{2})(?:[T ,]+(?:at )?([01]\d|2[0-3]):([0-5]\d))?/g;

interface EventDay {
  /** `2026-12-05`: the day as written, in the local time of the event. */
  day: string;
  /** `19:30`; undefined without a time. */
  time?: string | undefined;
}

/**
 * Finds the day of an event in its text, because the API has no field for it. Returns undefined when the text names no
 * valid day.
 */
export function eventDay({ title, body }: { title: string; body: string }): EventDay | undefined {
  for (const words of [title, body]) {
    for (const [, year, month, day, hour, minute] of words.matchAll(DATE)) {
      const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
      // Rejects dates that do not exist, such as the 31st of June, which `Date` moves to July.
      if (date.getUTCMonth() + 1 !== Number(month) || date.getUTCDate() !== Number(day)) continue;
      return { day: `${year}-${month}-${day}`, time: hour === undefined ? undefined : `${hour}:${minute}` };
    }
  }
  return undefined;
}

interface AgendaDay<P> {
  /** Undefined for events without a day. */
  day: string | undefined;
  events: { post: P; time: string | undefined }[];
}

const order = (a: string | undefined, b: string | undefined) =>
  a === b ? 0 : a === undefined ? 1 : b === undefined ? -1 : a < b ? -1 : 1;

/** Groups posts by the day of their event, the earliest first and those without a day last. */
export function groupByDay<P extends { title: string; body: string }>(posts: readonly P[]): AgendaDay<P>[] {
  const days = new Map<string | undefined, AgendaDay<P>['events']>();
  for (const post of posts) {
    const when = eventDay(post);
    const events = days.get(when?.day) ?? [];
    events.push({ post, time: when?.time });
    days.set(when?.day, events);
  }
  return [...days]
    .sort(([a], [b]) => order(a, b))
    .map(([day, events]) => ({ day, events: events.sort((a, b) => order(a.time, b.time)) }));
}

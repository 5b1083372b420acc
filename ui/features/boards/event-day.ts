/** The first date that a text names: `2026-12-05`, with `19:30` when a time follows it. */
const DATE = /\b(\d{4})-(\d{2})-(\d{2})(?:[T ,]+(?:at )?([01]\d|2[0-3]):([0-5]\d))?/g;

export interface EventDay {
  /** `2026-12-05`: days as they are written, in the place of the event. */
  day: string;
  /** `19:30`; undefined for one that says no time. */
  time?: string | undefined;
}

/** When an event takes place, from its own words: the wire has no field for it. Undefined when they name no day that there is. */
export function eventDay({ title, body }: { title: string; body: string }): EventDay | undefined {
  for (const words of [title, body]) {
    for (const [, year, month, day, hour, minute] of words.matchAll(DATE)) {
      const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
      // A 31st of June would be a day of July.
      if (date.getUTCMonth() + 1 !== Number(month) || date.getUTCDate() !== Number(day)) continue;
      return { day: `${year}-${month}-${day}`, time: hour === undefined ? undefined : `${hour}:${minute}` };
    }
  }
  return undefined;
}

export interface AgendaDay<P> {
  /** Undefined for those that name no day. */
  day: string | undefined;
  events: { post: P; time: string | undefined }[];
}

const order = (a: string | undefined, b: string | undefined) =>
  a === b ? 0 : a === undefined ? 1 : b === undefined ? -1 : a < b ? -1 : 1;

/** Posts by the day of their event, the earliest first; those that name none come last. */
export function agendaOf<P extends { title: string; body: string }>(posts: readonly P[]): AgendaDay<P>[] {
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

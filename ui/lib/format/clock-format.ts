const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const clockSeconds = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** Formats epoch milliseconds as `14:02` in local time. */
export const formatClockTime = (ms: number) => clock.format(ms);
/** Formats epoch milliseconds as `14:02:11` in local time. */
export const formatClockTimeWithSeconds = (ms: number) => clockSeconds.format(ms);

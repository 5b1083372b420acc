const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const clockSeconds = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** `14:02`, local. */
export const clockWords = (ms: number) => clock.format(ms);
/** `14:02:11`, local. */
export const clockSecondsWords = (ms: number) => clockSeconds.format(ms);

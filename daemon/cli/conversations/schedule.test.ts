import { describe, expect, it } from 'vitest';
import { events } from '../../testing/apps/conversing.js';
import { daemon, meshd } from '../../testing/processes/command-line.js';

const ADD = ['schedule', 'add', 'Look at the lamps', '--member', 'developer'];

describe('meshd schedule', () => {
  it('add says what would be right', async () => {
    const { root } = await daemon();
    for (const [options, message] of [
      [['--cron', '0 25 * * *'], '--cron "0 25 * * *": the hour "25" cannot be read: it takes 0 to 23'],
      [['--cron', '0 9 * *'], '--cron: "0 9 * *" has 4 fields, and five are needed'],
      [['--cron', '0 9 * * *', '--zone', 'Mars/City'], '--zone: "Mars/City" is no time zone'],
      [[], '--cron: give either times, or a task to run after.'],
      [['--after', 'nothing'], 'There is no task "nothing" in the roadmap.'],
      [['--cron', '0 9 * * *', '--permission-minutes', '61'], '--permission-minutes 61 must be at most 60'],
    ] as const)
      expect(await meshd(root, ...ADD, ...options)).toEqual({
        exit: 2,
        out: '',
        err: expect.stringContaining(message),
      });
  });

  it('lists a run that was refused in the inbox until it was seen', async () => {
    const app = await daemon();
    const { root, clock } = app;
    await meshd(root, ...ADD, '--cron', '* * * * *', '--zone', 'UTC');
    const client = await events(app);
    clock.advance(60_000);
    await client.until(({ type }) => type === 'schedules.updated');
    const inbox = await meshd(root, 'inbox', '--check');
    expect([inbox.exit, inbox.out]).toEqual([
      9,
      expect.stringMatching(/sched-\S+ .* developer +refused \(no_working_client\)/),
    ]);
    const { schedules } = JSON.parse((await meshd(root, 'inbox', '--json')).out) as { schedules: { id: string }[] };
    await meshd(root, 'schedule', 'show', schedules[0]?.id ?? '', '--seen');
    expect((await meshd(root, 'inbox')).err).toBe('Nothing needs you.\n');
  });
});

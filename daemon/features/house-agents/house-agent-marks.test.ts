import { describe, expect, it } from 'vitest';
import { HouseAgentMarks, type Mark } from './house-agent-marks.js';

const mark = (n: number): Mark => ({ surface: 'hub', agent_id: `lamp-${n}`, rid: `rid-${n}` });

/** A file whose writes end when they are let go on. */
function aSlowFile() {
  const written: unknown[] = [];
  const waiting: ((error?: Error) => void)[] = [];
  const file = {
    read: async () => null,
    write: (value: Record<string, unknown>) => {
      written.push(value['registrations']);
      return new Promise<void>((resolve, reject) => waiting.push((error) => (error ? reject(error) : resolve())));
    },
  };
  /** Ends the write that is under way, once it is. */
  const goOn = async (error?: Error) => {
    while (waiting.length === 0) await Promise.resolve();
    waiting.shift()?.(error);
  };
  return { file, written, goOn };
}

describe('the marks of house agents', () => {
  it('a thousand that are put together are written in two goes, and none resolves before its own is on disk', async () => {
    const { file, written, goOn } = aSlowFile();
    const marks = new HouseAgentMarks(file);
    const first = marks.put(mark(0));
    while (written.length === 0) await Promise.resolve();
    let done = 0;
    const others = Array.from({ length: 999 }, (_, n) => marks.put(mark(n + 1)).then(() => (done += 1)));
    await goOn();
    await first;
    expect(done).toBe(0);
    await goOn();
    await Promise.all(others);
    expect(written.map((rows) => (rows as Mark[]).length)).toEqual([1, 1_000]);
  });

  it('whoever shared a write that failed is told, and the next one writes it all', async () => {
    const { file, written, goOn } = aSlowFile();
    const marks = new HouseAgentMarks(file);
    const both = Promise.allSettled([marks.put(mark(1)), marks.put(mark(2))]);
    await goOn(new Error('full'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const dropped = marks.drop('hub', 'lamp-1');
    await goOn();
    await dropped;
    expect(written.at(-1)).toEqual([mark(2)]);
  });
});

import { describe, expect, it } from 'vitest';
import { type Mark, RegistrationMarks } from './registration-marks.js';

const mark = (n: number): Mark => ({ surface: 'hub', agent_id: `lamp-${n}`, rid: `rid-${n}` });

/** A file whose writes are pending until they are released. */
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
  /** Completes the pending write as soon as it has begun. */
  const goOn = async (error?: Error) => {
    while (waiting.length === 0) await Promise.resolve();
    waiting.shift()?.(error);
  };
  return { file, written, goOn };
}

describe('RegistrationMarks', () => {
  it('batches a thousand concurrent changes into two writes and resolves each after its own write', async () => {
    const { file, written, goOn } = aSlowFile();
    const marks = new RegistrationMarks(file);
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

  it('rejects all changes of a failed write and includes them in the next one', async () => {
    const { file, written, goOn } = aSlowFile();
    const marks = new RegistrationMarks(file);
    const both = Promise.allSettled([marks.put(mark(1)), marks.put(mark(2))]);
    await goOn(new Error('full'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = marks.put(mark(3));
    await goOn();
    await next;
    expect(written.at(-1)).toEqual([mark(1), mark(2), mark(3)]);
  });

  it('keeps the newest four thousand', async () => {
    const marks = new RegistrationMarks({ read: async () => null, write: async () => undefined });
    for (let n = 0; n < 4_001; n += 1) await marks.put(mark(n));
    expect([marks.list().length, marks.list()[0], marks.list().at(-1)]).toEqual([4_000, mark(1), mark(4_000)]);
  });

  it('reads those of earlier runs, without what is none, and adds to them', async () => {
    const written: unknown[] = [];
    const other = { ...mark(2), surface: 'v1' as const };
    const rows = [
      ...[mark(1), null, 7, 'x', {}, { ...mark(1), surface: 'v2' }, { ...mark(1), agent_id: 1 }],
      ...[{ ...mark(1), rid: null }, { surface: 'hub', agent_id: 'lamp' }, other],
    ];
    const marks = new RegistrationMarks({
      read: async () => ({ registrations: rows }),
      write: async (value) => void written.push(value),
    });
    await marks.load();
    expect(marks.list()).toEqual([mark(1), other]);
    await marks.put(mark(3));
    expect(written).toEqual([{ registrations: [mark(1), other, mark(3)] }]);
  });

  it.each([null, {}, { registrations: {} }, { registrations: 'x' }])('has none in a file with %j', async (content) => {
    const marks = new RegistrationMarks({ read: async () => content, write: async () => undefined });
    await marks.load();
    expect(marks.list()).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { ToolCalls } from './agent-program-calls.js';

function toolCalls() {
  const clock = new FakeClock();
  const held = { now: 0, inAll: 0 };
  const calls = new ToolCalls(clock, () => {
    held.now += 1;
    held.inAll += 1;
    return () => {
      held.now -= 1;
    };
  });
  return { calls, clock, held };
}

describe('a tool call of a run', () => {
  it('has its name, its target, its state, and at its end its output and time', () => {
    const { calls, clock } = toolCalls();
    expect(calls.begin('1', 'Read', 'a.md')).toEqual({ id: '1', name: 'Read', target: 'a.md', state: 'running' });
    clock.advance(41.6);
    expect(calls.end('1', 'done', 'text')).toEqual({
      id: '1',
      name: 'Read',
      target: 'a.md',
      state: 'done',
      ms: 42,
      output: 'text',
    });
  });

  it('without an output has none, not an empty one', () => {
    const { calls } = toolCalls();
    calls.begin('1', 'Read', '');
    expect(calls.end('1', 'failed', '')).toEqual({ id: '1', name: 'Read', target: '', state: 'failed', ms: 0 });
  });

  it('keeps what was known of it where a later report says less', () => {
    const { calls } = toolCalls();
    expect(calls.begin('1', '', '')).toMatchObject({ name: 'tool', target: '' });
    expect(calls.begin('1', 'Read', 'a.md')).toMatchObject({ name: 'Read', target: 'a.md' });
    expect(calls.begin('1', '', '')).toMatchObject({ name: 'Read', target: 'a.md' });
    expect(calls.begin('1', 'Grep', 'b.md')).toMatchObject({ name: 'Grep', target: 'b.md' });
  });

  it('is timed from its first report', () => {
    const { calls, clock } = toolCalls();
    clock.advance(1_000);
    calls.begin('1', 'Read', '');
    clock.advance(30);
    calls.begin('1', 'Read', '');
    clock.advance(12);
    expect(calls.end('1', 'done', '')?.ms).toBe(42);
  });

  it('lets the program be silent while it runs, however often it is reported', () => {
    const { calls, held } = toolCalls();
    calls.begin('1', 'Read', '');
    calls.begin('1', 'Read', '');
    calls.begin('2', 'Read', '');
    expect(held).toEqual({ now: 2, inAll: 2 });
    calls.end('1', 'done', '');
    expect(held.now).toBe(1);
    expect(calls.end('1', 'done', '')).toBeUndefined();
    expect(held.now).toBe(1);
  });

  it('that never began has no end', () => {
    expect(toolCalls().calls.end('1', 'done', 'text')).toBeUndefined();
  });

  it('is ended with the run where it is still running', () => {
    const { calls, held } = toolCalls();
    for (const id of ['1', '2', '3']) calls.begin(id, 'Read', '');
    calls.end('2', 'done', '');
    expect(calls.endAll('failed').map(({ id, state, output }) => [id, state, output])).toEqual([
      ['1', 'failed', undefined],
      ['3', 'failed', undefined],
    ]);
    expect([held.now, calls.endAll('failed')]).toEqual([0, []]);
  });
});

describe('the limits of tool calls', () => {
  it('cut the id, the name, the target and the output', () => {
    const { calls } = toolCalls();
    const [id, name, target, output] = ['i', 'n', 't', 'o'].map((letter) => letter.repeat(3_000)) as [
      string,
      string,
      string,
      string,
    ];
    const begun = calls.begin(id, name, target);
    expect([begun.id, begun.name, begun.target].map(({ length }) => length)).toEqual([200, 120, 400]);
    expect(calls.end(id, 'done', output)?.output).toBe('o'.repeat(2_000));
  });

  it('are 2,000 calls in one run, of which each counts once', () => {
    const { calls } = toolCalls();
    for (let index = 1; index <= 2_000; index += 1) calls.begin(`${index}`, 'Read', '');
    expect(calls.begin('2000', 'Read', '').id).toBe('2000');
    expect(() => calls.begin('2001', 'Read', '')).toThrow(
      'More than 2000 uses of tools in one run (output_limit), so it was stopped.',
    );
  });

  it('count a call that ended and began again', () => {
    const { calls } = toolCalls();
    for (let index = 1; index <= 2_000; index += 1) {
      calls.begin('same', 'Read', '');
      calls.end('same', 'done', '');
    }
    expect(() => calls.begin('same', 'Read', '')).toThrow('output_limit');
  });

  it('are 512 KiB of targets and outputs in one run, after which none is kept', () => {
    const { calls } = toolCalls();
    const kept = Array.from({ length: 300 }, (_, index) => {
      const { target } = calls.begin(`${index}`, 'Read', 't'.repeat(400));
      return target.length + (calls.end(`${index}`, 'done', 'o'.repeat(2_000))?.output?.length ?? 0);
    });
    expect(kept.reduce((sum, chars) => sum + chars)).toBe(512 * 1024);
    expect([kept[0], kept.at(-1)]).toEqual([2_400, 0]);
  });

  it('leave a call the target that it had', () => {
    const { calls } = toolCalls();
    calls.begin('first', 'Read', 'a.md');
    for (let index = 0; index < 300; index += 1) {
      calls.begin(`${index}`, 'Read', '');
      calls.end(`${index}`, 'done', 'o'.repeat(2_000));
    }
    expect(calls.begin('first', 'Read', 'b.md').target).toBe('a.md');
  });
});

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TaskChecks } from './task-checks.js';
import { readTasks } from './task-list.js';

const ASKING = { parent: { turn: 'turn-1', conv: 'conv-1' }, asked_by: 'roadmap-orchestrator', waits: true };

type Parts = ConstructorParameters<typeof TaskChecks>[0];

/** Checks with one command `ok`, whose other parts must be given by the test that needs them. */
function checksWith(parts: Partial<Parts> = {}): TaskChecks {
  const unused = () => Promise.reject(new Error('unused'));
  return new TaskChecks({
    commands: { find: (name) => (name === 'ok' ? 'npm test' : undefined) },
    ...{ runCommand: unused, runTests: unused, ask: unused, ...parts },
  });
}

const aTask = (check: string | null) => {
  const [task] = readTasks('- [ ] a: Light the lamp\n').tasks;
  if (!task) throw new Error('The task was not read.');
  return { ...task, check };
};
const judge = (check: string | null, parts?: Partial<Parts>) => checksWith(parts).judge(aTask(check), 'built', ASKING);

describe('The sentence about a check', () => {
  it.each([
    [null, undefined],
    ['command ok', 'npm test'],
    ['command other', undefined],
    ['test keeper', 'the tests of keeper'],
    ['review @keeper', 'a review by keeper'],
    ['review of it', undefined],
  ])('for %j is %j', (check, said) => {
    expect(checksWith().describe({ check })).toBe(said);
  });
});

describe('A check', () => {
  const NAME = `c${'d'.repeat(31)}`;
  it.each([
    ['command ok', 'ok'],
    ['command \t @ok', 'ok'],
    ['command c', 'c'],
    ['command c-9z', 'c-9z'],
    [`command ${NAME}`, NAME],
  ])('in the form %j names %s', async (check, name) => {
    const wanted: string[] = [];
    await judge(check, { commands: { find: (one) => void wanted.push(one) as undefined } });
    expect(wanted).toEqual([name]);
  });

  it.each([
    [''],
    ['command'],
    ['commandok'],
    ['commands ok'],
    ['my command ok'],
    ['command @@ok'],
    ['command Ok'],
    ['command 9ok'],
    ['command ok now'],
    [`command ${NAME}x`],
    ['look at it'],
  ])('in the form %j is none', async (check) => {
    expect(await judge(check)).toEqual({
      passed: false,
      detail: `"${check}" is no check: write \`command <name>\`, \`test <member>\` or \`review @<member>\`.`,
    });
  });
});

describe('A check by a command', () => {
  const run = (exit: number | null, output = '') => judge('command ok', { runCommand: async () => ({ exit, output }) });

  it('runs it in the conversation that worked, for ten minutes at most', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const runs: string[] = [];
    const runCommand: Parts['runCommand'] = async (command, conv, signal) => {
      runs.push(`${command} in ${conv}, ${signal.aborted ? 'aborted' : 'running'}`);
      return { exit: 0, output: '' };
    };
    expect(await judge('command ok', { runCommand })).toEqual({ passed: true, detail: '`npm test` passed.' });
    expect(runs).toEqual(['npm test in conv-1, running']);
    expect(timeout.mock.calls).toEqual([[600_000]]);
    timeout.mockRestore();
  });

  it.each([
    [3, '', '`npm test` ended with 3.'],
    [3, ' \n', '`npm test` ended with 3.'],
    [1, '\nlamp is dark\n', '`npm test` ended with 1. Its output ends: lamp is dark'],
    [null, 'killed', '`npm test` ended with a signal. Its output ends: killed'],
  ])('fails with what it ended with: %j and %j', async (exit, output, detail) => {
    expect(await run(exit, output)).toEqual({ passed: false, detail });
  });

  it('shows the last 1,500 characters of its output', async () => {
    const { detail } = await run(1, `${'a'.repeat(10)}${'b'.repeat(1_500)}`);
    expect(detail.endsWith(`ends: ${'b'.repeat(1_500)}`)).toBe(true);
  });

  it('fails with the way to set one that this machine lacks', async () => {
    expect(await judge('command build')).toEqual({
      passed: false,
      detail: 'There is no check command "build" on this machine: `meshd roadmap checks set build <command>`.',
    });
  });

  it('fails with the reason when it cannot be run', async () => {
    const runCommand = () => Promise.reject(new Error('no shell'));
    expect(await judge('command ok', { runCommand })).toEqual({ passed: false, detail: 'no shell' });
  });

  it('that runs for too long is named with the limit', async () => {
    const limit = vi
      .spyOn(AbortSignal, 'timeout')
      .mockReturnValue(AbortSignal.abort(new Error('The operation was aborted')));
    onTestFinished(() => limit.mockRestore());
    const runCommand: Parts['runCommand'] = async (_command, _conv, signal) => {
      signal.throwIfAborted();
      return { exit: 0, output: '' };
    };
    const detail = '`npm test` did not end within 10 minutes.';
    expect(await judge('command ok', { runCommand })).toEqual({ passed: false, detail });
    expect(limit.mock.calls).toEqual([[600_000]]);
  });

  it('says nothing when the daemon stops meanwhile, and ends the command', async () => {
    const checks = checksWith({
      runCommand: (_command, _conv, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('killed')));
        }),
    });
    const judged = checks.judge(aTask('command ok'), 'built', ASKING);
    checks.stop();
    await expect(judged).rejects.toThrow('The daemon is stopping.');
  });
});

describe('A check by the tests of a member', () => {
  it.each([
    [3, 0, 'finished', true, '3 of 3 tests of keeper passed.'],
    [2, 1, 'finished', false, '2 of 3 tests of keeper passed.'],
    [0, 0, 'finished', false, '0 of 0 tests of keeper passed.'],
    [3, 0, 'stopped', false, 'The tests of keeper did not end: stopped.'],
  ])('with %i passed, %i failed and %s', async (passed, failed, outcome, isDone, detail) => {
    const asked: string[] = [];
    const runTests: Parts['runTests'] = async (member) => {
      asked.push(member);
      return { passed, failed, outcome };
    };
    expect(await judge('test keeper', { runTests })).toEqual({ passed: isDone, detail });
    expect(asked).toEqual(['keeper']);
  });

  it('fails with the reason when there are none', async () => {
    const runTests = () => Promise.reject(new Error('`keeper` has no tests'));
    expect(await judge('test keeper', { runTests })).toEqual({ passed: false, detail: '`keeper` has no tests' });
  });
});

describe('A check during which the daemon stops', () => {
  it.each([
    ['test keeper', { runTests: async () => ({ passed: 1, failed: 0, outcome: 'interrupted' }) }],
    ['review @keeper', { ask: () => Promise.reject(new Error('keeper did not answer: failed.')) }],
  ])('says nothing: %s', async (check, parts) => {
    const checks = checksWith(parts);
    const judged = checks.judge(aTask(check), 'built', ASKING);
    checks.stop();
    await expect(judged).rejects.toThrow('The daemon is stopping.');
    await expect(checks.judge(aTask(check), 'built', ASKING)).rejects.toThrow('The daemon is stopping.');
  });
});

describe('A check by a review', () => {
  it('asks the member with the task and what was said of it, for who asks', async () => {
    const asks: unknown[] = [];
    const ask: Parts['ask'] = async (...asked) => {
      asks.push(asked);
      return 'PASSED';
    };
    await judge('review @keeper', { ask });
    const text =
      'Review task a of the roadmap: Light the lamp\n\nWhat was said of it when it was finished:\n\nbuilt\n\n' +
      'Look at the work itself. End with one line: `PASSED`, or `FAILED:` and what is missing.';
    expect(asks).toEqual([['keeper', 'Review of a', text, ASKING]]);
  });

  it.each([
    ['PASSED', true, 'passed'],
    ['All is there.\n**PASSED**', true, 'passed'],
    ['Verdict: PASSED', true, 'passed'],
    ['**Verdict:** `PASSED`', true, 'passed'],
    ['PASSED checks:\n- build\n- lint\n\nVerdict: FAILED: no tests', false, 'no tests'],
    ['Result - FAILED. It is dark', false, 'It is dark'],
    ['FAILED', false, 'failed'],
    ['FAILED: no test', false, 'no test'],
    ['> FAILED – no test, nowhere', false, 'no test, nowhere'],
    ['FAILED:,.-  no test', false, 'no test'],
    ['- PASSED: it is lit', true, 'it is lit'],
    ['FAILED: no test\nPASSED', true, 'passed'],
    ['PASSED\nFAILED: no test\n\nThat is all.\n', false, 'no test'],
    ['\n PASSED \n', true, 'passed'],
  ])('takes the last verdict of %j', async (answer, passed, detail) => {
    expect(await judge('review @keeper', { ask: async () => answer })).toEqual({ passed, detail: `keeper: ${detail}` });
  });

  it.each([
    [''],
    ['Looks good.'],
    ['It PASSED'],
    ['passed'],
    ['PASSEDNESS'],
    ['PASS'],
    ['未PASSED'],
    ['Verdicts PASSED'],
  ])('finds no verdict in %j', async (answer) => {
    expect(await judge('review @keeper', { ask: async () => answer })).toEqual({
      passed: false,
      detail: 'keeper gave no verdict: its answer has no line with PASSED or FAILED.',
    });
  });

  it('fails with the reason when there is no answer', async () => {
    const ask = () => Promise.reject(new Error('keeper did not answer'));
    expect(await judge('review @keeper', { ask })).toEqual({ passed: false, detail: 'keeper did not answer' });
  });
});

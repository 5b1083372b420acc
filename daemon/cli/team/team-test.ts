import type { Command } from 'commander';
import type { MemberTestResult, MemberTests, MemberTestsList, MemberTestsText } from '../../contract/member-tests.js';
import { action, examples } from '../action.js';
import { EventStream } from '../conversations/event-stream.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { printable, type Terminal } from '../terminal.js';
import { memberPath } from './member.js';

interface TestOptions {
  all?: boolean;
  init?: boolean;
  jsonl?: boolean;
}

const testsPath = (id: string) => `${memberPath(id)}/tests`;
const oneLine = (text: string) => printable(text).replaceAll(/\s+/g, ' ');

/** Prints the result of one question: a check or a cross, then the failed expectations. */
function showResult(terminal: Terminal, { question, passed, failures, request_id }: MemberTestResult): void {
  terminal.answer(`${passed ? terminal.colours.green('✓') : terminal.colours.red('✗')} ${oneLine(question)}`);
  for (const failure of failures) terminal.answer(`    ${oneLine(failure)}`);
  if (!passed && request_id !== null)
    terminal.answer(`    ${terminal.colours.dim(`meshd requests show ${request_id}`)}`);
}

/** Reports the progress of a run until it has ended. Returns its final state. */
async function follow(terminal: Terminal, client: HttpClient, events: EventStream, id: string): Promise<MemberTests> {
  let output = '';
  for (;;) {
    const tests = await client.get<MemberTests>(testsPath(id));
    if (!tests.running) return tests;
    const { results = [], total = 0, asking = null } = tests.progress ?? {};
    const saying = asking === null ? '' : `${results.length + 1} of ${total}: ${oneLine(asking)}`;
    if (saying !== '' && saying !== output) terminal.note(terminal.colours.dim(saying));
    output = saying;
    for (;;) {
      const frame = await events.next();
      if (frame === undefined) return tests;
      // After a gap in the event stream the state is fetched again.
      if (frame.type === 'hello' || (frame.type.startsWith('team.tests.') && 'id' in frame && frame.id === id)) break;
    }
  }
}

/** Runs the tests of one member to their end. Ctrl-C cancels them. */
async function runTests(terminal: Terminal, client: HttpClient, root: string, id: string): Promise<MemberTests> {
  const events = await EventStream.open(root);
  let started: Promise<unknown> = Promise.resolve();
  const leave = () => {
    terminal.note('\nThe tests are cancelled.');
    // What is cancelled before the daemon has begun it would run.
    void started
      .then(() => client.send('POST', `${testsPath(id)}/cancel`))
      .catch(() => undefined)
      .finally(() => process.exit(EXIT.interrupted));
  };
  try {
    process.once('SIGINT', leave);
    started = client.send<MemberTests>('POST', `${testsPath(id)}/run`, { body: {} });
    await started;
    return await follow(terminal, client, events, id);
  } finally {
    process.off('SIGINT', leave);
    events.close();
  }
}

/** The exit status for a run: that of its worst result. */
function getExitCode({ last_run, tests }: MemberTests): number {
  if (last_run?.results.some(({ error_code }) => error_code === 'needs_permission')) return EXIT.needsPerson;
  const hasPassed = last_run?.outcome === 'finished' && last_run.passed === tests.length;
  return hasPassed ? EXIT.ok : EXIT.memberFailed;
}

function report(terminal: Terminal, { id, last_run, tests }: MemberTests, jsonl: boolean | undefined): void {
  const results = last_run?.results ?? [];
  for (const result of results) {
    if (jsonl) terminal.record({ member: id, ...result });
    else showResult(terminal, result);
  }
  const words = `${id}: ${last_run?.passed ?? 0} of ${tests.length} passed`;
  if (last_run?.outcome === 'cancelled') terminal.note(`${words}; the run was cancelled.`);
  else if (last_run?.outcome === 'interrupted') terminal.note(`${words}; the run was interrupted.`);
  else terminal.note(`${words}.`);
}

async function writeStarter(
  terminal: Terminal,
  client: HttpClient,
  id: string,
  json: boolean | undefined,
): Promise<void> {
  const { path, starter } = await client.get<MemberTests>(testsPath(id));
  if (starter === null) throw new CommandError(EXIT.conflict, `${path} is there already: edit it.`, 'file_changed');
  const written = await client.send<MemberTests>('PUT', testsPath(id), {
    body: { text: starter, revision: null } satisfies MemberTestsText,
  });
  if (json) return terminal.object(written);
  terminal.answer(`Wrote ${path} with ${written.tests.length} questions.`);
  terminal.note(`Add what each answer must cite and say, then \`meshd team test ${id}\`.`);
}

/**
 * Runs the tests of every member that has some, one after the other. A member whose tests cannot be run fails without
 * stopping the others.
 */
async function runAll(
  terminal: Terminal,
  client: HttpClient,
  root: string,
  { json, jsonl }: { json?: boolean; jsonl?: boolean | undefined },
) {
  const { members } = await client.get<MemberTestsList>('/tests');
  const ids = members.filter(({ exists }) => exists).map(({ id }) => id);
  const ended: MemberTests[] = [];
  const not_run: { id: string; error: string; message: string }[] = [];
  for (const id of ids) {
    try {
      const tests = await runTests(terminal, client, root, id);
      ended.push(tests);
      if (!json) report(terminal, tests, jsonl);
      terminal.exit = Math.max(terminal.exit, getExitCode(tests));
    } catch (error) {
      if (!(error instanceof CommandError) || error.exit === EXIT.unreachable) throw error;
      not_run.push({ id, error: error.code, message: error.message });
      terminal.note(`${id}: ${error.message}`);
      terminal.exit = Math.max(terminal.exit, EXIT.memberFailed);
    }
  }
  if (json) terminal.object({ members: ended, count: ended.length, not_run });
  else if (ids.length === 0) terminal.note('No member has tests: `meshd team test <member> --init` creates some.');
}

export function addTeamTest(team: Command, terminal: Terminal): void {
  team
    .command('test')
    .summary('run the tests of a member')
    .description(
      'Ask a member the questions of .mesh/asks/<member>.md, one after the other, and check the answers. ' +
        'Ctrl-C cancels the rest.\nExits 7 when some failed, 9 when a person had to decide, 4 for a member or ' +
        'tests that are not there.',
    )
    .argument('[member]')
    .option('--all', 'every member that has tests')
    .option('--init', 'write a first file of tests from the examples of the member')
    .option('--jsonl', 'one JSON object a question')
    .addHelpText(
      'after',
      examples('meshd team test consultant', 'meshd team test consultant --init', 'meshd team test --all --jsonl'),
    )
    .action(
      action<TestOptions, [string | undefined]>(terminal, async ({ root, json, jsonl, all, init }, id) => {
        if (id === undefined && !all) throw new CommandError(EXIT.usage, 'Name a member, or give --all.', 'usage');
        if (id !== undefined && all)
          throw new CommandError(EXIT.usage, 'Name a member or give --all, not both.', 'usage');
        if (init && all) throw new CommandError(EXIT.usage, '--init is for one member: name it.', 'usage');
        const { client } = await getDaemon(root);
        if (id === undefined) return runAll(terminal, client, root, { ...(json && { json }), jsonl });
        if (init) return writeStarter(terminal, client, id, json);
        const tests = await runTests(terminal, client, root, id);
        terminal.exit = getExitCode(tests);
        if (json) terminal.object(tests);
        else report(terminal, tests, jsonl);
      }),
    );
}

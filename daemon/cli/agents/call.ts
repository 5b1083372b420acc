import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CALL_MODES, type Call, type CallBody } from '../../contract/payments.js';
import { action, type Common, examples } from '../action.js';
import { parseSeconds } from '../asks/ask.js';
import { quoted } from '../daemon/doctor/check.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { untilInterrupted } from '../interrupt.js';
import { callColleague, findPlaceHere } from '../network/ask-colleague.js';
import { readAll, readText } from '../standard-input.js';
import { printable, type Terminal } from '../terminal.js';

const DEFAULT_WAIT_SECONDS = 120;
/** The maximum duration of one long poll. */
const POLL_SECONDS = 20;
/** Longer strings in a result, such as an image, are shortened when stdout is a terminal. */
const SHOWN_CHARS = 300;

interface CallOptions {
  input?: string;
  mode?: NonNullable<CallBody['mode']>;
  maxLamports?: number;
  topupLamports?: number;
  report: boolean;
  wait: number;
  id?: string;
  once?: string;
}

/** Argument parser for options that are an amount of lamports. */
function parseLamports(text: string): number {
  const lamports = Number(text);
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(lamports)) return lamports;
  throw new InvalidArgumentError('It must be a whole number of lamports.');
}

/**
 * Reads the input from `given`: JSON, `@file`, or `-` for stdin. Throws `bad_request` for anything but a JSON object.
 */
async function readInput(given: string | undefined, terminal: Terminal): Promise<Record<string, unknown>> {
  if (given === undefined) return {};
  const text =
    given === '-' ? await readAll(terminal.stdin) : given.startsWith('@') ? await readText(given.slice(1)) : given;
  try {
    const input: unknown = JSON.parse(text);
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Record<string, unknown>;
  } catch {
    // Reported below, whatever the error was.
  }
  throw new CommandError(
    EXIT.usage,
    `--input ${JSON.stringify(given.slice(0, 60))} must be a JSON object: '{"prompt": "…"}', @file or -.`,
    'bad_request',
  );
}

const EXIT_OF: Readonly<Record<string, number>> = {
  agent_not_found: EXIT.notFound,
  skill_not_found: EXIT.notFound,
  budget_exceeded: EXIT.refused,
  denied: EXIT.refused,
  approval_expired: EXIT.refused,
  insufficient_funds: EXIT.refused,
  no_free_call: EXIT.refused,
  no_deposit: EXIT.refused,
  no_credit: EXIT.refused,
};

/** The cost of a call in words. */
function formatCost({ mode, amount_lamports, network, real }: Call): string {
  if (mode === null || amount_lamports === null) return 'costs nothing';
  if (mode === 'free') return 'free of charge';
  return `${amount_lamports} lamports by ${mode} on ${network ?? 'no network'}${real ? '' : ' (not real money)'}`;
}

const shortened = (_key: string, value: unknown) =>
  typeof value === 'string' && value.length > SHOWN_CHARS
    ? `${value.slice(0, SHOWN_CHARS)}… (${value.length} characters)`
    : value;

/** Prints the state of a call and sets the exit status. The result is written to stdout, everything else to stderr. */
function show(terminal: Terminal, call: Call, waitSeconds: number): void {
  const { call_id, state, error, result, latency_ms, reason } = call;
  if (terminal.isJson) terminal.object(call);
  if (state === 'done') {
    // A program receives the complete result; on a terminal long strings are shortened.
    if (!terminal.isJson) terminal.object(result ?? null, terminal.isSeen ? shortened : undefined);
    terminal.note(terminal.colours.dim(`${call_id}: ${formatCost(call)}, ${latency_ms ?? 0} ms.`));
  } else if (state === 'failed') {
    terminal.exit = EXIT_OF[error?.code ?? ''] ?? EXIT.memberFailed;
    terminal.note(
      `${call_id} failed: ${printable(error?.message ?? 'no reason was given')} (${error?.code ?? 'unknown'})`,
    );
  } else if (state === 'waiting') {
    terminal.exit = EXIT.needsPerson;
    terminal.note(
      `${call_id} needs your approval: ${printable(reason ?? '')} \`meshd approve ${call_id}\` or \`meshd deny ` +
        `${call_id}\`.`,
    );
  } else {
    terminal.exit = EXIT.deadline;
    terminal.note(`${call_id} is still under way after ${waitSeconds} s and goes on: \`meshd call --id ${call_id}\`.`);
  }
}

/** Polls until the call has ended, needs the operator's approval, or `waitSeconds` have passed. */
export async function followCall(
  terminal: Terminal,
  client: HttpClient,
  begun: Call,
  waitSeconds: number,
): Promise<void> {
  const deadline = performance.now() + waitSeconds * 1000;
  let call = begun;
  while (call.state === 'running') {
    const left = Math.max(0, Math.ceil((deadline - performance.now()) / 1000));
    if (left === 0) break;
    const hold = Math.min(POLL_SECONDS, left);
    const { call_id } = call;
    const reading = client.get<Call>(`/calls/${encodeURIComponent(call_id)}?wait=${hold}`, {
      timeoutMs: (hold + 15) * 1000,
    });
    call = await untilInterrupted(terminal, `The call goes on: \`meshd call --id ${call_id}\`.`, { call_id }, reading);
  }
  show(terminal, call, waitSeconds);
}

/** `<project>/<member>`: no id of an agent and no address has this form. */
const PROJECT_MEMBER = /^[^/]+\/[a-z][a-z0-9-]*$/;

async function callSkill(
  terminal: Terminal,
  { root, input, mode, maxLamports, topupLamports, report, wait, id, once }: CallOptions & Common,
  agent: string | undefined,
  skill: string | undefined,
): Promise<void> {
  const { client } = await getDaemon(root);
  if (id !== undefined)
    return followCall(terminal, client, await client.get<Call>(`/calls/${encodeURIComponent(id)}`), wait);
  if (agent === undefined || skill === undefined) {
    throw new CommandError(EXIT.usage, 'Name the agent and its skill: meshd call <agent> <skill>.', 'bad_request');
  }
  if (PROJECT_MEMBER.test(agent) && !(await findPlaceHere(agent, root, terminal.environment.variables ?? {})))
    return callColleague(terminal, root, { to: agent, skill, input: await readInput(input, terminal) }, wait);
  const body: CallBody = {
    agent,
    skill,
    input: await readInput(input, terminal),
    ...(mode === undefined ? {} : { mode }),
    ...(maxLamports === undefined ? {} : { max_lamports: maxLamports }),
    ...(topupLamports === undefined ? {} : { topup_lamports: topupLamports }),
    ...(report ? {} : { report: false }),
  };
  // The daemon holds its first response for up to half a minute.
  const key = once ?? randomUUID();
  const call = { body, headers: { 'idempotency-key': key }, timeoutMs: 60_000 };
  const goesOn = `The call goes on: repeat the command with --once ${quoted(key)}, and it is made once.`;
  const begun = await untilInterrupted(terminal, goesOn, { once: key }, client.send<Call>('POST', '/calls', call));
  if (begun.state === 'running') terminal.note(terminal.colours.dim(`${begun.call_id} is under way.`));
  await followCall(terminal, client, begun, wait);
}

export function addCall(program: Command, terminal: Terminal): void {
  program
    .command('call')
    .summary('call a skill of an agent and pay for it')
    .description(
      'Call a skill of an agent, by its id or address, and pay for it as its card says, within your caps. The ' +
        'result is JSON. Of members of other daemons of the network the skill `ask` is called, and those with a ' +
        'price are refused.',
    )
    .argument(
      '[agent]',
      'an id, <project>/<member> of another running project of yours or of the network, or the address of an agent ' +
        'or its card',
    )
    .argument('[skill]', 'the id of one of its skills, as its card says it')
    .option('--input <json>', 'the input: a JSON object, @file, or - for stdin')
    .addOption(new Option('--mode <mode>', 'how to pay').choices(['auto', ...CALL_MODES]).default('auto'))
    .option('--max-lamports <count>', 'fail rather than pay more', parseLamports)
    .option(
      '--topup-lamports <count>',
      'with --mode deposit: what to put in when the balance is too small',
      parseLamports,
    )
    .option('--no-report', 'file no report about the agent')
    .option('--wait <seconds>', 'how long to wait for the result', parseSeconds, DEFAULT_WAIT_SECONDS)
    .option('--id <call>', 'show an earlier call')
    .option('--once <name>', 'a name for this call: repeating it under the same name calls and pays once')
    .addHelpText(
      'after',
      examples(
        'meshd call image-supplier draw-image --input \'{"prompt": "harbour lights"}\' --max-lamports 10000',
        'meshd call lamp/consultant ask --input \'{"text": "Where is the port chosen?"}\'',
        'meshd call https://painter.example paint --input @order.json --mode deposit --topup-lamports 100000',
        'meshd call earner tweet-with-image --input - --json < order.json | jq .result.tweet',
      ),
    )
    .action(
      action<CallOptions, [string | undefined, string | undefined]>(terminal, (options, agent, skill) =>
        callSkill(terminal, options, agent, skill),
      ),
    );
}

import type { NetworkStatus } from '../../contract/shared/network.js';
import type { NetworkAsk, NetworkAskBody } from '../../contract/shared/network-asks.js';
import type { Variables } from '../../lib/user-folders.js';
import { followRecord } from '../asks/follow-record.js';
import { showAnswer } from '../asks/show-answer.js';
import { findDaemon, getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { findMemberPlace } from '../team/member-place.js';
import { printable, type Terminal } from '../terminal.js';

async function isInNetwork(root: string): Promise<boolean> {
  const daemon = await findDaemon(root);
  return daemon !== undefined && (await daemon.client.get<NetworkStatus>('/network')).state !== 'off';
}

/**
 * Returns the place of a member on this machine. Undefined when it is to be asked over the network: no running project
 * of this user has the name, and the daemon of `root` is in a network. Throws as `findMemberPlace`.
 */
export async function findPlaceHere(ref: string, root: string, variables: Variables) {
  try {
    return await findMemberPlace(ref, root, variables);
  } catch (error) {
    const isUnknown = error instanceof CommandError && error.code === 'not_found';
    if (isUnknown && (await isInNetwork(root))) return undefined;
    throw error;
  }
}

const isOver = ({ status }: NetworkAsk) => status === 'done' || status === 'error';

function describe({ status, queue_position, daemon_name }: NetworkAsk): string {
  if (status === 'sent') return `sent to the daemon ${daemon_name}`;
  return queue_position === undefined ? status.replace('_', ' ') : `queued, place ${queue_position}`;
}

function show(terminal: Terminal, ask: NetworkAsk): void {
  const { result_text = '', citations = [], confidence, total, daemon_name } = ask;
  const kind = { ...(confidence === undefined ? {} : { confidence }), ...(total === undefined ? {} : { total }) };
  showAnswer(terminal, { ...kind, text: result_text, citations });
  if (citations.length > 0)
    terminal.note(
      terminal.colours.dim(
        `The quotes are of files of the daemon ${printable(daemon_name)}, which checked them; they cannot be ` +
          'checked here.',
      ),
    );
}

/** Sends the question and waits for its end. Cancels it, and throws `deadline`, when that takes too long. */
async function askAndWait(terminal: Terminal, root: string, body: NetworkAskBody, wait: number): Promise<NetworkAsk> {
  const { client } = await getDaemon(root);
  const sent = await client.send<NetworkAsk>('POST', '/network/asks', { body });
  const cancel = () => client.send<NetworkAsk>('DELETE', `/network/asks/${sent.id}`);
  const leave = () => {
    const gone = () => process.exit(EXIT.interrupted);
    cancel().then(gone, gone);
  };
  process.once('SIGINT', leave);
  try {
    const ask = await followRecord<NetworkAsk>(terminal, {
      read: (hold, timeoutMs) => client.get(`/network/asks/${sent.id}?wait=${hold}`, { timeoutMs }),
      ...{ first: sent, isOver, describe, waitSeconds: wait },
    });
    if (isOver(ask)) return ask;
    await cancel();
    throw new CommandError(
      EXIT.deadline,
      `${body.to} had not answered after ${wait} s, and the ask was cancelled: allow more with --wait.`,
      'deadline',
    );
  } finally {
    process.off('SIGINT', leave);
  }
}

/** Says on stderr why there is no answer, and sets the exit status. */
function judge(terminal: Terminal, { error, to }: NetworkAsk): void {
  if (!error) return;
  terminal.exit = error.code === 'network_unavailable' ? EXIT.failed : EXIT.memberFailed;
  terminal.note(`${printable(to)} gave no answer: ${printable(error.message)} (${printable(error.code)})`);
}

/** Asks a member of another daemon of the network, waits, and prints its answer. */
export async function askColleague(
  terminal: Terminal,
  root: string,
  body: NetworkAskBody,
  wait: number,
): Promise<void> {
  const ask = await askAndWait(terminal, root, body, wait);
  if (terminal.isJson) terminal.object(ask);
  else if (ask.status === 'done') show(terminal, ask);
  judge(terminal, ask);
}

/** Reads the question of the skill `ask` from its input. Throws `bad_request` for another skill or input. */
function readQuestion(skill: string, input: Record<string, unknown>): Omit<NetworkAskBody, 'to'> {
  if (skill !== 'ask')
    throw new CommandError(
      EXIT.usage,
      `Over the network a member is called by its skill \`ask\` alone, not by ${printable(skill)}.`,
      'bad_request',
    );
  const { text, prompt, query, session, ...others } = input;
  const [question, second] = [text, prompt, query].filter((one) => one !== undefined);
  const [other] = Object.keys(others);
  if (typeof question !== 'string' || second !== undefined || other !== undefined)
    throw new CommandError(
      EXIT.usage,
      'The input of the skill `ask` is {"text": "…"}, with "session" where it continues one' +
        `${other === undefined ? '' : `; ${printable(other)} is not in it`}.`,
      'bad_request',
    );
  return { text: question, ...(typeof session === 'string' ? { session } : {}) };
}

/** Calls the skill `ask` of a member of another daemon, and prints the result as JSON. */
export async function callColleague(
  terminal: Terminal,
  root: string,
  { to, skill, input }: { to: string; skill: string; input: Record<string, unknown> },
  wait: number,
): Promise<void> {
  const ask = await askAndWait(terminal, root, { to, ...readQuestion(skill, input) }, wait);
  const { result_text, citations, confidence, client, model } = ask;
  if (terminal.isJson) terminal.object(ask);
  else if (ask.status === 'done') terminal.object({ result_text, citations, confidence, client, model });
  judge(terminal, ask);
}

import type { NetworkStatus } from '../../contract/shared/network.js';
import type { NetworkAsk, NetworkAskBody } from '../../contract/shared/network-asks.js';
import { showAnswer } from '../asks/show-answer.js';
import { findDaemon, getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { printable, type Terminal } from '../terminal.js';

const POLL_SECONDS = 20;

/**
 * Whether `<project>/<member>` must be meant for the network: no running project of this user has the name, and the
 * daemon of `root` is in a network.
 */
export async function isOfNetwork(error: unknown, root: string): Promise<boolean> {
  if (!(error instanceof CommandError) || error.code !== 'not_found') return false;
  const daemon = await findDaemon(root);
  return daemon !== undefined && (await daemon.client.get<NetworkStatus>('/network')).state !== 'off';
}

const isOver = ({ status }: NetworkAsk) => status === 'done' || status === 'error';

function describe({ status, queue_position, daemon_name }: NetworkAsk): string {
  if (status === 'sent') return `sent to the daemon ${daemon_name}`;
  return queue_position === undefined ? status.replace('_', ' ') : `queued, place ${queue_position}`;
}

async function follow(terminal: Terminal, client: HttpClient, sent: NetworkAsk, waitSeconds: number) {
  const deadline = performance.now() + waitSeconds * 1_000;
  let ask = sent;
  let said = '';
  for (;;) {
    const word = describe(ask);
    if (!isOver(ask) && word !== said) terminal.note(terminal.colours.dim(printable(word)));
    said = word;
    const left = Math.max(0, (deadline - performance.now()) / 1_000);
    if (isOver(ask) || left === 0) return ask;
    const hold = Math.min(POLL_SECONDS, Math.round(left * 100) / 100);
    const timeoutMs = (hold + 15) * 1_000;
    ask = await client.get<NetworkAsk>(`/network/asks/${ask.id}?wait=${hold}`, { timeoutMs });
  }
}

function show(terminal: Terminal, ask: NetworkAsk): void {
  const { result_text = '', citations = [], confidence, total, daemon_name } = ask;
  const kind = { ...(confidence === undefined ? {} : { confidence }), ...(total === undefined ? {} : { total }) };
  showAnswer(terminal, { ...kind, text: result_text, citations });
  if (citations.length > 0)
    terminal.note(
      terminal.colours.dim(
        `The quotes are of files of the daemon ${printable(daemon_name)}, which checked them; they cannot be checked here.`,
      ),
    );
}

/** Asks a member of another daemon of the network, waits, and prints its answer. */
export async function askColleague(
  terminal: Terminal,
  root: string,
  body: NetworkAskBody,
  { wait, isJson }: { wait: number; isJson: boolean },
): Promise<void> {
  const { client } = await getDaemon(root);
  const sent = await client.send<NetworkAsk>('POST', '/network/asks', { body });
  const cancel = () => client.send<NetworkAsk>('DELETE', `/network/asks/${sent.id}`);
  const leave = () => {
    const gone = () => process.exit(EXIT.interrupted);
    cancel().then(gone, gone);
  };
  process.once('SIGINT', leave);
  try {
    const ask = await follow(terminal, client, sent, wait);
    if (!isOver(ask)) {
      await cancel();
      throw new CommandError(
        EXIT.deadline,
        `${body.to} had not answered after ${wait} s, and the ask was cancelled: allow more with --wait.`,
        'deadline',
      );
    }
    if (isJson) terminal.object(ask);
    else if (ask.status === 'done') show(terminal, ask);
    if (!ask.error) return;
    const { code, message } = ask.error;
    terminal.exit = code === 'network_unavailable' ? EXIT.failed : EXIT.memberFailed;
    terminal.note(`${body.to} gave no answer: ${printable(message)} (${code})`);
  } finally {
    process.off('SIGINT', leave);
  }
}

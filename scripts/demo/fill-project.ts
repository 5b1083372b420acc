import type { AskRecord } from '../../daemon/contract/asks.js';
import type { MemberTests } from '../../daemon/contract/member-tests.js';
import type { SelfRegistrationList } from '../../daemon/contract/network/self-registration.js';
import type { Call, Challenge, TransferDone, Wallet } from '../../daemon/contract/payments.js';
import { exposeWaiting } from '../../daemon/testing/apps/agreement.js';
import type { DaemonProcess } from '../../daemon/testing/processes/daemon-process.js';

const LIMIT_MS = 60_000;
const LOOK_MS = 100;
const PRICE_LAMPORTS = 5_000;
const FUNDS_LAMPORTS = 2_000_000_000;

/** Questions of other programs, by the name in their user agent. */
const ASKS = [
  ['harbour-clock/2.1', 'Where is the retry of a lamp that does not answer?'],
  ['quay-bot/0.4', 'On which port does the status page listen?'],
  ['quay-bot/0.4', 'What is the default of LAMP_ANGLE?'],
  ['harbour-clock/2.1', 'Which lamp has a fog horn?'],
  ['night-desk/1.0', 'Which Kubernetes ingress serves the payments webhook?'],
] as const;

const CONVERSATIONS = [
  ['developer', ['When do the lights go on, and what decides it?', 'How many lamps are in a group?']],
  ['architect-master', ['What does this project do?']],
  ['ui-developer', ['Which port does the status page use?']],
] as const;

/** Polls `read` until `isDone` accepts its value. Throws an Error after a minute. */
async function until<T>(read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    if (performance.now() > end) throw new Error(`The daemon did not get so far in a minute: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Exposes members and imports an agent of another tool. Returns the ids of the exposed members. */
export async function fillTeam(daemon: DaemonProcess): Promise<string[]> {
  const exposed = await exposeWaiting((method, path) => daemon.call(method, path));
  await daemon.call('PATCH', '/team/developer', { exposure: 'external' });
  await daemon.call('POST', '/imports', { items: [{ source: '.claude/agents/scribe.md' }] });
  return [...exposed, 'developer'];
}

/** Asks as other programs do, and runs the consultant's tests. Returns the requests. */
export async function fillAsks(daemon: DaemonProcess): Promise<AskRecord[]> {
  const token = await daemon.getToken('consultant');
  const records: AskRecord[] = [];
  for (const [program, text] of ASKS) {
    const headers = { authorization: `Bearer ${token}`, 'user-agent': program };
    const { poll } = await daemon.call<{ poll: string }>('POST', '/team/consultant/ask', { text }, headers);
    const read = () => daemon.call<AskRecord>('GET', `${poll}?wait=10`, undefined, headers);
    records.push(await until(read, ({ status }) => status === 'done' || status === 'error'));
  }
  await daemon.call('POST', '/team/consultant/tests/run', {});
  await until(
    () => daemon.call<MemberTests>('GET', '/team/consultant/tests'),
    ({ running }) => !running,
  );
  return records;
}

/** Creates conversations of the operator and waits for every turn to end. Returns their ids. */
export async function fillConversations(daemon: DaemonProcess): Promise<string[]> {
  const ids: string[] = [];
  for (const [member, messages] of CONVERSATIONS) {
    const { conv } = await daemon.converse({ member });
    for (const text of messages) {
      const turn = await daemon.post(conv, text);
      await until(
        () => daemon.turn(conv, turn),
        ({ outcome }) => outcome !== null,
      );
    }
    ids.push(conv);
  }
  return ids;
}

/**
 * Sells answers of the consultant on the local network: one call is paid by hand, one by `POST /calls` with the
 * operator's approval, and one awaits approval. Returns the paid call, or undefined where the local network is not
 * available.
 */
export async function fillPayments(daemon: DaemonProcess): Promise<Call | undefined> {
  const wallet = await daemon.call<Wallet>('POST', '/wallets', { name: 'earnings' });
  try {
    await daemon.call('POST', '/wallets/main/fund', { lamports: FUNDS_LAMPORTS });
  } catch {
    // `litesvm` is optional.
    return undefined;
  }
  await daemon.call('PATCH', '/team/consultant', {
    pricing: [{ unit: 'request', amount: PRICE_LAMPORTS, currency: 'lamports', network: 'solana:local' }],
    payment: { modes: ['x402', 'deposit'], wallet: wallet.address },
  });
  await payByHand(daemon);
  const agent = await findAgent(daemon, 'consultant');
  const buy = (text: string) =>
    daemon.call<Call>('POST', '/calls', { agent, skill: 'ask', input: { text }, mode: 'x402' });
  const { call_id } = await buy('How many lamps are in a group?');
  await daemon.call('POST', `/ledger/approvals/${call_id}`, { decision: 'allow' });
  const paid = await until(
    () => daemon.call<Call>('GET', `/calls/${call_id}`),
    ({ state }) => state === 'done' || state === 'failed',
  );
  await buy('What is the pause between two attempts?');
  return paid;
}

/** Waits until an exposed member is registered with the unified API and returns its agent id there. */
async function findAgent(daemon: DaemonProcess, member: string): Promise<string> {
  const find = ({ registrations }: SelfRegistrationList) =>
    registrations.find((one) => one.member === member)?.surfaces.v1?.agent_id ?? null;
  const list = await until(
    () => daemon.call<SelfRegistrationList>('GET', '/registrations'),
    (read) => find(read) !== null,
  );
  return find(list) ?? '';
}

/**
 * Handles the 402 of a priced call as a program without `meshd call` does: transfers the amount with the nonce as memo,
 * and sends the proof.
 */
async function payByHand(daemon: DaemonProcess): Promise<void> {
  const path = '/team/consultant/v1/ask';
  const text = 'What is the default of LAMP_ANGLE?';
  const post = (headers: Record<string, string> = {}) =>
    fetch(daemon.address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'painter/1.0', ...headers },
      body: JSON.stringify({ text }),
    });
  const refusal = await post();
  if (refusal.status !== 402) throw new Error(`A priced call gave ${refusal.status}: ${await refusal.text()}`);
  const challenge = (await refusal.json()) as Challenge;
  const [offer] = challenge.accepts;
  const { signature } = await daemon.call<TransferDone>('POST', '/wallets/main/pay', {
    to: offer?.address,
    lamports: offer?.amount,
    memo: challenge.nonce,
  });
  const answer = await post({ 'x-payment-proof': signature, 'x-payment-nonce': challenge.nonce });
  if (!answer.ok) throw new Error(`The paid call gave ${answer.status}: ${await answer.text()}`);
}

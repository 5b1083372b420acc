import type { NetworkMember, NetworkStatus } from '../../../daemon/contract/shared/network.js';
import { ApiError } from '../../lib/api.js';

/** What is typed to create or join a network. Empty texts are not sent. */
interface NetworkValues {
  url: string;
  network: string;
  credentials: string;
  name: string;
}
export type NetworkField = keyof NetworkValues;

const NETWORK_NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
/** Most characters of credentials that the daemon accepts. */
export const CREDENTIALS_MAX = 20_000;

/** What the daemon calls by the options of its command line, in the words of the form. */
const OPTION_WORDS: readonly (readonly [RegExp, string])[] = [
  [/: give credentials in a file with --creds\.$/, ': give credentials below instead.'],
  [/: give a valid file with --creds\.$/, ': give others below.'],
  [/: give --network /, ': give the name of one, '],
  [/: create one with meshd network create\.$/, ': create one.'],
];
const formatMessage = (message: string): string =>
  OPTION_WORDS.reduce((words, [pattern, replacement]) => words.replace(pattern, replacement), message);

const FIELDS: readonly string[] = ['url', 'network', 'credentials', 'name'] satisfies NetworkField[];
/** The field that an error without a path is about. */
const FIELD_OF_CODE: Readonly<Record<string, NetworkField>> = {
  not_found: 'network',
  slug_taken: 'network',
  forbidden: 'credentials',
  network_unavailable: 'url',
};

/** Returns the field of the form that the daemon's error is about, and what is wrong; undefined for other errors. */
export function findFieldError(error: unknown): { field: NetworkField; message: string } | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const field = error.path ?? FIELD_OF_CODE[error.code];
  if (field === undefined || !FIELDS.includes(field)) return undefined;
  return { field: field as NetworkField, message: formatMessage(error.message) };
}

/** Returns what is wrong with the typed values, by field, before they are sent. */
export function findFaults({ url, network }: NetworkValues, isNew: boolean): Partial<Record<NetworkField, string>> {
  const faults: Partial<Record<NetworkField, string>> = {};
  if (url.trim() === '') faults.url = 'Give the address of a server, for example tls://nats.example.com:4222.';
  const name = network.trim();
  if (isNew && name === '') faults.network = 'Give the network a name, for example team.';
  else if (name !== '' && !NETWORK_NAME.test(name))
    faults.network = `“${name}” is no name of a network: lower-case letters, digits and dashes between them, at most 32.`;
  return faults;
}

/** Returns the body of the call, without what was left empty. */
export function toBody({ url, network, credentials, name }: NetworkValues) {
  return {
    url: url.trim(),
    ...(network.trim() && { network: network.trim() }),
    ...(credentials.trim() && { credentials }),
    ...(name.trim() && { name: name.trim() }),
  };
}

/** The state in one sentence, and what to do. */
export const STATE_WORDS: Readonly<Record<NetworkStatus['state'], { sentence: string; step: string }>> = {
  off: {
    sentence: 'This daemon is in no network.',
    step:
      'Join that of your team with the address of its NATS servers, or create one on servers with JetStream. This ' +
      'daemon connects to them, and itself accepts connections of this machine alone.',
  },
  connecting: {
    sentence: 'No connection to the servers.',
    step:
      'Changes of shared data are refused until a server answers; reading, and everything that is of this machine ' +
      'alone, goes on. The daemon connects again by itself: check that the servers run and can be reached.',
  },
  catching_up: {
    sentence: 'Catching up with the network.',
    step: 'What is shown of it may be older until then. Nothing is to be done.',
  },
  following: { sentence: 'Following the network.', step: 'Every change of it is applied here.' },
  stopped: {
    sentence: 'Stopped: this daemon cannot follow the network until you act.',
    step: 'What it received until then can be read; changes of shared data are refused.',
  },
};

/**
 * What keeps this daemon from following, as a sentence; undefined when nothing does. The daemon keeps its last problem
 * for a while after it is over.
 */
export function formatProblem({ state, problem }: Pick<NetworkStatus, 'state' | 'problem'>): string | undefined {
  if (problem === null || state === 'off' || state === 'following') return undefined;
  return state === 'stopped' ? problem.charAt(0).toUpperCase() + problem.slice(1) : `Last problem: ${problem}`;
}

const count = (number: number) => number.toLocaleString('en-GB');

/** How far this daemon follows, in words. */
export function formatLag({ lag }: Pick<NetworkStatus, 'lag'>): string {
  if (lag === null) return 'not known without a connection';
  return lag === 0 ? 'none' : `${count(lag)} ${lag === 1 ? 'change' : 'changes'}`;
}

/** What daemons say to one another and nobody stores, in words. */
export function formatFrames({ sent, received, dropped }: NetworkStatus['frames']): string {
  const lost = dropped.reduce((sum, one) => sum + one.count, 0);
  const messages = sent === 1 ? 'message' : 'messages';
  return `${count(sent)} ${messages} sent, ${count(received)} received, ${count(lost)} dropped`;
}

/** The share of the changes that is applied here, and its words; undefined unless the daemon is catching up. */
export function getProgress({ state, sequence, lag }: Pick<NetworkStatus, 'state' | 'sequence' | 'lag'>) {
  if (state !== 'catching_up' || lag === null) return undefined;
  const all = sequence + lag;
  return {
    share: all === 0 ? 1 : sequence / all,
    words: `${count(sequence)} of ${count(all)} changes are applied here, ${count(lag)} to come.`,
  };
}

/** This daemon first, then those present, those absent and those that left, each by name. */
export function sortMembers(members: readonly NetworkMember[]): NetworkMember[] {
  const rank = ({ self, left_at, present }: NetworkMember) => (left_at ? 3 : self ? 0 : present ? 1 : 2);
  return [...members].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
}

import { homedir } from 'node:os';
import type { RequestList } from '../../contract/asks.js';
import type { BoardList, PostList } from '../../contract/boards.js';
import type { ClusterList } from '../../contract/clusters.js';
import type { ConversationList, MessageList, PermissionList } from '../../contract/conversations.js';
import type { ImportCandidates } from '../../contract/imports.js';
import { LIST_LIMIT_MAX } from '../../contract/limits.js';
import type { AgentRecord } from '../../contract/network/hub.js';
import type { RegistryList } from '../../contract/network/registry.js';
import type { ApprovalList, WalletList } from '../../contract/payments.js';
import type { MemberList } from '../../contract/team.js';
import type { Roadmap } from '../../contract/work/roadmap.js';
import type { ScheduleList } from '../../contract/work/schedules.js';
import { clusterPath } from '../clusters/cluster-calls.js';
import { ClusterTokens } from '../clusters/cluster-tokens.js';
import { findDaemon, findRoot } from '../daemon/project.js';
import type { HttpClient } from '../http-client.js';
import type { Candidate, Named, Typed } from './completion-words.js';

/** A key press waits for the response, so a slow daemon is treated as absent. */
const PATIENCE_MS = 1_000;

interface Asked {
  client: HttpClient;
  root: string;
  typed: Typed;
  patience: { timeoutMs: number };
}

const path = (start: string, id: string, rest = '') => `${start}/${encodeURIComponent(id)}${rest}`;

/** The ids of agents on both surfaces. */
async function readAgents({ client, patience }: Asked): Promise<Candidate[]> {
  const [hub, v1] = await Promise.all([
    client.get<AgentRecord[]>(`/agents?all=true&limit=${LIST_LIMIT_MAX}`, patience),
    client.get<RegistryList>(`/v1/agents?registered=true&limit=${LIST_LIMIT_MAX}`, patience),
  ]);
  return [...hub, ...v1.agents].map(({ agent_id, description }) => ({ word: agent_id, about: description ?? '' }));
}

/** Names of private clusters with stored tokens and slugs of public ones; ids when the typed word starts like an id. */
async function readClusters({ client, root, typed, patience }: Asked): Promise<Candidate[]> {
  const { clusters } = await client.get<ClusterList>(`/v1/clusters?limit=${LIST_LIMIT_MAX}`, patience);
  const kept = [...new ClusterTokens(root).all()].filter(([, { visibility }]) => visibility === 'private');
  if (typed.word.startsWith('c_')) {
    return [
      ...kept.map(([word, { name }]) => ({ word, about: name })),
      ...clusters.map(({ id, name }) => ({ word: id, about: name })),
    ];
  }
  const isOne = (name: string) =>
    kept.filter(([, other]) => other.name === name).length === 1 && !clusters.some(({ slug }) => slug === name);
  const own = kept.map(([id, { name }]) => (isOne(name) ? { word: name, about: id } : { word: id, about: name }));
  return [...own, ...clusters.map(({ id, slug, name }) => ({ word: slug ?? id, about: name }))];
}

/** The path of the typed cluster, and the stored token for it. */
function resolveCluster({ root, typed, patience }: Asked): {
  base: string;
  call: { timeoutMs: number; token?: string };
} {
  const ref = typed.arguments.get('cluster') ?? '';
  const kept = new ClusterTokens(root).find(ref);
  const token = kept?.token ?? kept?.admin_token;
  return { base: clusterPath(kept?.id ?? ref), call: { ...patience, ...(token === undefined ? {} : { token }) } };
}

async function readBoards(asked: Asked): Promise<Candidate[]> {
  const { base, call } = resolveCluster(asked);
  const { boards } = await asked.client.get<BoardList>(`${base}/boards`, call);
  return boards.map(({ slug, name }) => ({ word: slug, about: name }));
}

async function readPosts(asked: Asked): Promise<Candidate[]> {
  const { base, call } = resolveCluster(asked);
  const board = asked.typed.arguments.get('board') ?? '';
  const { posts } = await asked.client.get<PostList>(
    `${base}${path('/boards', board, `/posts?limit=${LIST_LIMIT_MAX}`)}`,
    call,
  );
  return posts.map(({ id, title }) => ({ word: id, about: title }));
}

/** The queued turns of a conversation. */
async function readWaiting({ client, typed, patience }: Asked): Promise<Candidate[]> {
  const { turns } = await client.get<MessageList>(
    path('/conversations', typed.arguments.get('conversation') ?? '', '/messages'),
    patience,
  );
  return turns.filter(({ state }) => state === 'queued').map(({ turn }) => ({ word: turn, about: 'waits' }));
}

const READERS: Readonly<Record<Named, (asked: Asked) => Promise<Candidate[]>>> = {
  async member({ client, patience }) {
    const { members } = await client.get<MemberList>('/team', patience);
    return members.map(({ id, name }) => ({ word: id, about: name }));
  },
  agent: readAgents,
  cluster: readClusters,
  board: readBoards,
  post: readPosts,
  async request({ client, patience }) {
    const { requests } = await client.get<RequestList>('/requests?limit=50', patience);
    return requests.map(({ request_id, member, question }) => ({ word: request_id, about: `${member}: ${question}` }));
  },
  async conversation({ client, patience }) {
    const { conversations } = await client.get<ConversationList>('/conversations', patience);
    return conversations.map(({ conv, title }) => ({ word: conv, about: title }));
  },
  message: readWaiting,
  async permission({ client, patience }) {
    const { permissions } = await client.get<PermissionList>('/permissions', patience);
    return permissions.map(({ pid, tool, target }) => ({ word: pid, about: `${tool} ${target ?? ''}` }));
  },
  async task({ client, patience }) {
    return (await client.get<Roadmap>('/roadmap', patience)).tasks.map(({ id, text }) => ({ word: id, about: text }));
  },
  async schedule({ client, patience }) {
    const { schedules } = await client.get<ScheduleList>('/schedules', patience);
    return schedules.map(({ id, title }) => ({ word: id, about: title }));
  },
  async wallet({ client, patience }) {
    return (await client.get<WalletList>('/wallets', patience)).wallets.map(({ name, address }) => ({
      word: name,
      about: address,
    }));
  },
  async call({ client, patience }) {
    const { approvals } = await client.get<ApprovalList>('/approvals', patience);
    return approvals.map(({ call_id, agent, skill }) => ({ word: call_id, about: `${agent} ${skill}` }));
  },
  async found({ client, patience }) {
    const { found } = await client.get<ImportCandidates>('/imports', patience);
    return found.filter(({ state }) => state === 'new').map(({ id, source }) => ({ word: id, about: source }));
  },
};

/**
 * Reads names from the running daemon; empty when it does not run or does not respond within `timeoutMs`. `given` is
 * the typed value of `--root`.
 */
export async function readNames(
  given: string | undefined,
  named: Named,
  typed: Typed,
  timeoutMs = PATIENCE_MS,
): Promise<Candidate[]> {
  try {
    const root = findRoot(
      process.cwd(),
      given?.replace(/^~(?=\/|$)/, () => homedir()),
    );
    const daemon = await findDaemon(root, timeoutMs);
    return daemon ? await READERS[named]({ client: daemon.client, root, typed, patience: { timeoutMs } }) : [];
  } catch {
    // Errors are not reported in the middle of a line that is being typed.
    return [];
  }
}

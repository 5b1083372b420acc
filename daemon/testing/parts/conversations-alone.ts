import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import type { Client } from '../../features/clients/client.js';
import { AskedTurnsStore } from '../../features/conversations/asked-turns-store.js';
import { Conversations } from '../../features/conversations/conversations.js';
import { type ConversationRow, ConversationsStore } from '../../features/conversations/conversations-store.js';
import { Delegations } from '../../features/conversations/delegations.js';
import { Messages } from '../../features/conversations/messages.js';
import { PermissionRules } from '../../features/conversations/permission-rules/permission-rules.js';
import { RulesStore } from '../../features/conversations/permission-rules/rules-store.js';
import { Permissions } from '../../features/conversations/permissions.js';
import { PermissionsStore } from '../../features/conversations/permissions-store.js';
import type { Runnable } from '../../features/conversations/turn-change.js';
import { TurnRuns, type TurnRunsParts } from '../../features/conversations/turn-runs.js';
import { TurnsStore } from '../../features/conversations/turns-store.js';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import { FakeClock } from '../fake-clock.js';
import { ScriptedAgent } from '../processes/scripted-agent.js';
import { putTemplateDatabase } from '../template-database.js';
import { temporaryFolder } from '../temporary-folder.js';

/** A member as conversations look at it, with what differs from an ordinary one. */
interface AloneMember {
  kind?: 'singleton' | 'profile';
  tools?: string[];
  minutes?: number;
  runnable?: Partial<Runnable> & { note?: string };
}

type Replaced = Partial<TurnRunsParts>;

const named = (id: string, { tools = [], minutes = 10 }: AloneMember): Runnable['member'] => ({
  ...{ id, name: id, body: '', model: 'm-1', effort: 'default', tools, refs: [] },
  limits: { turns: 1, minutes },
});

/** Turns a conversation into what runs in it, as `members` say. A conversation without a member runs its agent type. */
const resolver =
  (members: Map<string, AloneMember>, client: Client) =>
  ({ conv, member: id, agent_type }: ConversationRow): Runnable | undefined => {
    const member = id === null ? {} : members.get(id);
    if (!member) return undefined;
    return {
      member: named(id ?? agent_type, member),
      revision: id === null ? '' : `revision of ${id}`,
      key: id !== null && member.kind === 'singleton' ? id : conv,
      ...{ client_resolved: client.name, model_resolved: 'm-1', effort_resolved: 'high', client },
      ...member.runnable,
    };
  };

/** What stands in for the parts of the daemon around conversations, each replaceable. */
function aroundTurns(members: Map<string, AloneMember>, client: Client, lost: string[]): Omit<Replaced, 'bus'> {
  return {
    listDocuments: () => [],
    places: { enter: async () => undefined },
    openTools: (turn) => ({ url: 'http://tools', token: `token of ${turn}`, end: () => undefined }),
    refreshClients: async () => undefined,
    resolve: resolver(members, client),
    cite: async () => ({ citations: [], dropped: 0 }),
    onLost: (turn) => void lost.push(turn),
  };
}

/** The team, the folders and the index as conversations ask for them, and what was asked. */
function aroundConversations(members: Map<string, AloneMember>) {
  const [forgotten, looked] = [[], []] as [string[], string[]];
  const team = {
    serving: (id: string) => {
      const member = members.get(id);
      return member && { id, kind: member.kind ?? 'profile', agent_type: 'review' };
    },
    servingMembers: () => [...members].map(([id, { kind = 'profile' }]) => ({ id, kind })),
  };
  const places = {
    describe: (row: ConversationRow) => ({ isolation: row.isolation ?? 'project', folder: `/p/${row.conv}` }),
    forget: async (conv: string) => {
      forgotten.push(conv);
      return `ref of ${conv}`;
    },
  };
  const answers = {
    recheck: async <T extends { id?: string }>(messages: readonly T[], profile: string) => {
      looked.push(`${messages.map(({ id }) => id)} ${profile}`);
      return [...messages];
    },
  };
  return { team, places, answers, forgotten, looked };
}

/**
 * Conversations with their messages, permissions and turns over a store of their own: without a project, a team and
 * routes. `members` may change while a test runs.
 */
export function conversationsAlone(
  client: Client = new ScriptedAgent('acp', async function* () {
    yield { type: 'end', citations: [] };
  }),
  given: Record<string, AloneMember> = { developer: {}, architect: { kind: 'singleton' } },
  replaced: Replaced = {},
) {
  const clock = new FakeClock();
  const bus = new Bus(clock);
  const events: MeshEvent[] = [];
  bus.watch((event) => void events.push(event));
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const transactions = new Transactions(database);
  const [store, turns, asked] = [
    new ConversationsStore(database),
    new TurnsStore(database),
    new AskedTurnsStore(database),
  ];
  const members = new Map(Object.entries(given));
  const lost: string[] = [];
  const findMember = (conv: string) => store.find(conv)?.member ?? null;
  const rules = new PermissionRules({ transactions, store: new RulesStore(database), findMember, bus, clock });
  const permissions = new Permissions(transactions, new PermissionsStore(database), bus, clock, rules, findMember);
  const parts = { transactions, conversations: store, turns, permissions, bus, clock };
  const around = { ...aroundTurns(members, client, lost), ...replaced };
  const runs = new TurnRuns({ ...parts, ...around } as TurnRunsParts);
  const { team, places, answers, forgotten, looked } = aroundConversations(members);
  const { resolve } = around;
  const conversations = new Conversations({
    ...{ transactions, store, asked, turns, runs, permissions, team, resolve, bus, clock, places },
  } as unknown as ConstructorParameters<typeof Conversations>[0]);
  const messages = new Messages({
    ...{ transactions, conversations, store, asked, turns, runs, team, bus, clock, answers },
    findRating: () => undefined,
  } as unknown as ConstructorParameters<typeof Messages>[0]);
  const delegations = new Delegations({ transactions, asked, turns, conversations, messages, runs });
  return {
    ...{ clock, bus, events, database, transactions, store, turns, asked, rules, permissions, runs, members },
    ...{ conversations, messages, delegations, forgotten, looked, lost },
    /** Resolves with the first event that `isMeant`, of those to come. */
    next: (isMeant: (event: MeshEvent) => boolean) =>
      new Promise<MeshEvent>((resolve) => {
        const stop = bus.watch((event) => {
          if (!isMeant(event)) return;
          stop();
          resolve(event);
        });
      }),
  };
}

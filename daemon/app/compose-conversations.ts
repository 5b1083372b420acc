import { TURN_MCP_PATH } from '../contract/conversations.js';
import { AskStore } from '../features/asks/ask-store.js';
import { citationsIn } from '../features/conversations/answer-citations.js';
import { AskedTurnsStore } from '../features/conversations/asked-turns-store.js';
import { Conversations } from '../features/conversations/conversations.js';
import { conversationsRoutes } from '../features/conversations/conversations-routes.js';
import { ConversationsStore } from '../features/conversations/conversations-store.js';
import { Delegations } from '../features/conversations/delegations.js';
import { Messages } from '../features/conversations/messages.js';
import { messagesRoutes } from '../features/conversations/messages-routes.js';
import { PermissionRules } from '../features/conversations/permission-rules/permission-rules.js';
import { RulesStore } from '../features/conversations/permission-rules/rules-store.js';
import { Permissions } from '../features/conversations/permissions.js';
import { permissionsRoutes } from '../features/conversations/permissions-routes.js';
import { PermissionsStore } from '../features/conversations/permissions-store.js';
import { TurnRuns, type TurnRunsParts } from '../features/conversations/turn-runs.js';
import { TurnTokens } from '../features/conversations/turn-tokens.js';
import { TurnsStore } from '../features/conversations/turns-store.js';
import { AnswerRecheck } from '../features/knowledge/answer-recheck.js';
import type { Knowledge } from '../features/knowledge/knowledge.js';
import type { ClientsArea } from './compose-clients.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';
import type { WorktreesArea } from './work/compose-worktrees.js';
import { runnableResolver } from './work/runnable-resolver.js';

/** Checks the citations of an answer against the project. Without explicit citations, reads them from its text. */
const citationChecker =
  (knowledge: Knowledge): TurnRunsParts['cite'] =>
  async (text, own, profile) => {
    const lines = (path: string, start: number, end: number) =>
      knowledge.readLines(path, start, end, profile).then(
        (found) => found.lines,
        () => undefined,
      );
    const named = own.length > 0 ? { citations: [...own], unknown: 0 } : await citationsIn(text, lines);
    const checked = await knowledge.check(named.citations, profile);
    const citations = checked.filter(({ status }) => status !== 'dropped');
    return { citations, dropped: checked.length - citations.length + named.unknown };
  };

export interface ConversationsArea {
  conversations: Conversations;
  messages: Messages;
  runs: TurnRuns;
  answers: AnswerRecheck;
  delegations: Delegations;
  tokens: TurnTokens;
  turns: TurnsStore;
  /** Returns who runs in a turn; undefined when it is gone. */
  findAgent(turn: string): { id: string; name: string } | undefined;
  /** Ends the turns that the previous daemon process left running, then starts the queued turns. */
  start(): Promise<void>;
}

/** Composes conversations with members: turns, permission requests and messages, with their routes. */
export async function composeConversations(
  { app, address, bus, clock, database, transactions, logError }: Core,
  { clients, knowledge }: ClientsArea,
  { team }: TeamArea,
  { places }: Pick<WorktreesArea, 'places'>,
): Promise<ConversationsArea> {
  const [store, turns] = [new ConversationsStore(database), new TurnsStore(database)];
  const [asks, asked, tokens] = [new AskStore(database), new AskedTurnsStore(database), new TurnTokens()];
  const findMember = (conv: string) => store.find(conv)?.member ?? null;
  const rules = new PermissionRules({ transactions, store: new RulesStore(database), findMember, bus, clock });
  const permissions = new Permissions(transactions, new PermissionsStore(database), bus, clock, rules, findMember);
  const resolve = runnableResolver(team, clients);
  const runs = new TurnRuns({
    ...{ transactions, conversations: store, turns, permissions, bus, clock, resolve, places },
    listDocuments: ({ turn, profile }) =>
      profile === 'outside' ? asks.documentsOfTurn(turn) : turns.documentsOf(turn),
    openTools: (turn) => ({ url: `${address()}${TURN_MCP_PATH}`, ...tokens.begin(turn) }),
    refreshClients: () => clients.refresh(),
    cite: citationChecker(knowledge),
    onLost: (turn, error) => logError(error, 'the ending of a turn could not be recorded', { turn }),
  });
  const conversations = new Conversations({
    ...{ transactions, store, asked, turns, runs, permissions, team, resolve, bus, clock, places },
  });
  const answers = new AnswerRecheck(knowledge, clock);
  const messages = new Messages({
    ...{ transactions, conversations, store, asked, turns, runs, team, bus, clock, answers },
    findRating: (turn) => asks.findRatingOfTurn(turn),
  });
  const delegations = new Delegations({ transactions, asked, turns, conversations, messages, runs });
  team.onRemoved((id) => conversations.memberGone(id));
  team.onGone((id) => rules.memberGone(id));
  team.onBecameSingleton((id) => conversations.becameSingleton(id));
  await app.register(conversationsRoutes, { conversations });
  await app.register(messagesRoutes, { messages });
  await app.register(permissionsRoutes, { permissions, rules });
  return {
    conversations,
    messages,
    runs,
    answers,
    delegations,
    tokens,
    turns,
    findAgent(turn) {
      const row = store.find(turns.find(turn)?.conv ?? '');
      return row && resolve(row)?.member;
    },
    async start() {
      await runs.endInterrupted();
      await delegations.endAbandoned();
      await conversations.start();
      await rules.start(team.members().map(({ id }) => id));
      runs.pump();
    },
  };
}

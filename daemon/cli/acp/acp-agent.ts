import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import {
  type AgentApp,
  agent,
  type InitializeResponse,
  type ListSessionsResponse,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import manifest from '../../../package.json' with { type: 'json' };
import type { ClientList } from '../../contract/clients.js';
import type { Conversation, ConversationList } from '../../contract/conversations.js';
import { getErrorMessage } from '../../lib/errors.js';
import { conversationPath } from '../conversations/live-conversation.js';
import { type Opened, openConversation } from '../conversations/talk-conversation.js';
import { findDaemon, findRoot, getDaemon, type RunningDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import type { Terminal } from '../terminal.js';
import { invalidParams, toRequestError } from './acp-errors.js';
import { EditorSession, requireMember } from './acp-session.js';
import { listSettings, toPatch } from './acp-settings.js';

const PAGE_SESSIONS = 50;

interface EditorOptions {
  terminal: Terminal;
  /** The member that is served. */
  member: string;
  /** The only project that is served, if one was named. */
  root: string | undefined;
  /** Starts the daemon of a project that has none running; undefined: it must run. */
  start: ((root: string) => Promise<void>) | undefined;
}

/** Makes errors of the command line and the daemon responses of the protocol. */
const answering =
  <Context, Result>(handle: (context: Context) => Promise<Result>) =>
  async (context: Context): Promise<Result> => {
    try {
      return await handle(context);
    } catch (error) {
      throw toRequestError(error);
    }
  };

/** One member as an agent of the Agent Client Protocol. A session is a conversation of the project of its folder. */
class EditorAgent {
  private readonly sessions = new Map<string, EditorSession>();

  constructor(private readonly options: EditorOptions) {}

  get app(): AgentApp {
    const { session } = methods.agent;
    return agent({ name: 'meshd' })
      .onRequest(methods.agent.initialize, () => this.initialize())
      .onRequest(
        session.new,
        answering(({ params }) => this.create(params)),
      )
      .onRequest(
        session.load,
        answering(async ({ params, client }) => {
          const { opened, response } = await this.open(params);
          await opened.replay(client);
          return response;
        }),
      )
      .onRequest(
        session.resume,
        answering(async ({ params }) => (await this.open(params)).response),
      )
      .onRequest(
        session.list,
        answering(({ params }) => this.list(params)),
      )
      .onRequest(
        session.setConfigOption,
        answering(({ params }) => this.set(params.sessionId, params.configId, params.value)),
      )
      .onRequest(
        session.prompt,
        answering(({ params, client, signal }) => {
          const found = this.find(params.sessionId);
          signal.addEventListener('abort', () => void this.cancel(found), { once: true });
          return found.prompt(params.prompt, client);
        }),
      )
      .onRequest(
        session.close,
        answering(async ({ params }) => {
          const found = this.find(params.sessionId);
          this.sessions.delete(params.sessionId);
          await found.close();
          return {};
        }),
      )
      .onNotification(session.cancel, async ({ params }) => {
        const found = this.sessions.get(params.sessionId);
        if (found) await this.cancel(found);
      });
  }

  /** Removes the conversations that hold no message: the editor is gone. Turns that run continue. */
  async end(): Promise<void> {
    await Promise.allSettled([...this.sessions.values()].map((session) => session.drop()));
  }

  private initialize(): InitializeResponse {
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'meshd', title: `${this.options.member} (meshd)`, version: manifest.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    };
  }

  private find(id: string): EditorSession {
    const session = this.sessions.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  }

  /** Cancels the prompt of a session. A failure is noted: a notification has no response. */
  private async cancel(session: EditorSession): Promise<void> {
    await session.cancel().catch((error: unknown) => this.note(`Not cancelled: ${getErrorMessage(error)}`));
  }

  private async create({
    cwd,
    mcpServers,
  }: {
    cwd: string;
    mcpServers: readonly unknown[];
  }): Promise<NewSessionResponse> {
    const root = this.getRoot(cwd);
    if (mcpServers.length > 0)
      this.note(`The editor’s MCP servers (${mcpServers.length}) are not used: a member has its own tools.`);
    const { client } = await this.reach(root);
    const opened = await openConversation(client, this.options.member, undefined, {});
    // A name in the form of a conversation's id would open that conversation.
    requireMember(opened.conversation, this.options.member);
    if (opened.conversation.problem !== null) this.note(opened.conversation.problem);
    this.keep(root, opened);
    return { sessionId: opened.conversation.conv, ...(await this.settings(client, opened.conversation)) };
  }

  private async open({ sessionId, cwd }: { sessionId: string; cwd: string }) {
    const root = this.getRoot(cwd);
    const { client } = await this.reach(root);
    const conversation = await client.get<Conversation>(conversationPath(sessionId));
    requireMember(conversation, this.options.member);
    const opened = this.keep(root, { conversation, isNew: false });
    return { opened, response: await this.settings(client, conversation) };
  }

  private async list({ cwd, cursor }: { cwd?: string | null; cursor?: string | null }): Promise<ListSessionsResponse> {
    const root = this.getRoot(cwd ?? process.cwd());
    const { client } = await this.reach(root);
    const query = new URLSearchParams({ member: this.options.member, limit: String(PAGE_SESSIONS) });
    if (cursor) query.set('cursor', cursor);
    const page = await client.get<ConversationList>(`/conversations?${query}`);
    // Conversations of other programs and of members are not the operator's own.
    const own = page.conversations.filter((one) => !one.from_outside && one.parent === null);
    return {
      sessions: own.map(({ conv, title, updated_at }) => ({
        sessionId: conv,
        cwd: root,
        title,
        updatedAt: updated_at,
      })),
      nextCursor: page.next_cursor,
    };
  }

  private async set(id: string, configId: string, value: string | boolean) {
    const { root } = this.find(id);
    const { client } = await this.reach(root);
    const body = toPatch(configId, value);
    return this.settings(client, await client.send<Conversation>('PATCH', conversationPath(id), { body }));
  }

  private async settings(client: HttpClient, conversation: Conversation) {
    return { configOptions: listSettings(conversation, await client.get<ClientList>('/clients')) };
  }

  private keep(root: string, opened: Opened): EditorSession {
    const { conv } = opened.conversation;
    const known = this.sessions.get(conv);
    if (known?.root === root) return known;
    const note = (line: string) => this.note(line);
    const session = new EditorSession(opened, { root, note, reach: () => this.reach(root) });
    this.sessions.set(conv, session);
    return session;
  }

  /** The project of the editor's folder. Throws -32602 when it is not a folder, or outside the project that is served. */
  private getRoot(cwd: string): string {
    if (!isAbsolute(cwd)) throw invalidParams(`The folder ${cwd} must be an absolute path.`, 'bad_root');
    const { root } = this.options;
    if (!existsSync(cwd)) throw invalidParams(`There is no folder ${cwd}.`, 'bad_root');
    if (root === undefined) return findRoot(cwd);
    const inside = relative(root, realpathSync(cwd));
    if (inside === '..' || inside.startsWith('../') || isAbsolute(inside))
      throw invalidParams(`${cwd} is not in ${root}, the project of this agent.`, 'bad_root');
    return root;
  }

  private async reach(root: string): Promise<RunningDaemon> {
    const { start } = this.options;
    if (!start) return getDaemon(root);
    const running = await findDaemon(root);
    if (running) return running;
    if (!['.mesh', '.git'].some((name) => existsSync(join(root, name)))) {
      throw new CommandError(
        EXIT.usage,
        `${root} is no project: it has neither .mesh nor .git. Run \`meshd up\` there once.`,
        'bad_root',
      );
    }
    await start(root);
    return getDaemon(root);
  }

  private note(line: string): void {
    this.options.terminal.note(line);
  }
}

/** Serves the member on stdin and stdout until stdin ends. */
export async function serveEditor(options: EditorOptions): Promise<void> {
  const { terminal } = options;
  const decoder = new TextDecoder();
  const output = new WritableStream<Uint8Array>({
    write: (chunk) => {
      terminal.document(decoder.decode(chunk, { stream: true }));
      return terminal.drained();
    },
  });
  const input = Readable.toWeb(terminal.stdin) as ReadableStream<Uint8Array>;
  const served = new EditorAgent(options);
  const connection = served.app.connect(ndJsonStream(output, input));
  await connection.closed;
  await served.end();
}

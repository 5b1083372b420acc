import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolCall } from '../../contract/conversations.js';
import { ApiClient } from '../../features/clients/api/api-client.js';
import type { ApiProvider } from '../../features/clients/api/api-settings.js';
import type { RunCommand } from '../../features/clients/api/changing-tools.js';
import type { Turn, TurnEvent } from '../../features/clients/client.js';
import { mayBeIndexed, readableText } from '../../features/knowledge/passages/file-worth.js';
import { ProjectTools } from '../../storage/members/project-tools.js';
import { FakeClock } from '../fake-clock.js';
import { temporaryRepository } from '../temporary-folder.js';
import type { ModelEndpoint } from './model-endpoint.js';

const FILES = {
  'README.md': '# Lamp\n\nLamp switches the harbour lights on at dusk.\n',
  'src/dusk.ts':
    'export const DUSK_ANGLE_DEGREES = -6;\n\n/** Whether the sun stands low enough. */\nexport function ' +
    'isDusk(angle: number): boolean {\n  return angle < DUSK_ANGLE_DEGREES;\n}\n',
};

interface ApiClientSetup {
  root?: string;
  provider?: ApiProvider;
  baseUrl?: string;
  models?: readonly string[];
  apiKey?: string;
  problem?: string;
  retries?: number;
  runCommand?: RunCommand;
}

/** Creates the `api` client over a temporary project, configured for a stand-in endpoint. */
export function anApiClient(endpoint: Pick<ModelEndpoint, 'origin'>, setup: ApiClientSetup) {
  const { provider = 'openai-compatible', models = ['stand-in-1'], problem, retries, runCommand } = setup;
  const root = setup.root ?? temporaryRepository(FILES);
  const clock = new FakeClock();
  const apiKey = setup.apiKey ?? (provider === 'anthropic' ? 'key-of-the-operator' : undefined);
  const baseUrl = setup.baseUrl ?? `${endpoint.origin}/v1`;
  const client = new ApiClient({
    configuration:
      problem === undefined
        ? { settings: { provider, baseUrl, models, ...(apiKey === undefined ? {} : { apiKey }) } }
        : { problem },
    project: new ProjectTools({
      root,
      environment: { PATH: process.env['PATH'] },
      mayRead: mayBeIndexed,
      toText: readableText,
      clock,
    }),
    clock,
    place: { root, environment: { PATH: '/usr/bin', LANG: 'C' } },
    ...(retries === undefined ? {} : { retries }),
    ...(runCommand ? { runCommand } : {}),
  });
  return { client, root, fileText: (path: string) => readFileSync(join(root, path), 'utf8') };
}

interface TurnSetup {
  text?: string;
  turns?: number;
  effort?: string;
  model?: string;
  tools?: readonly string[];
  profile?: Turn['profile'];
  context_docs?: Turn['context_docs'];
  history?: Turn['history'];
  refs?: readonly string[];
}

export function aTurn({
  text = 'What is this?',
  turns = 8,
  effort = 'default',
  model = 'strongest',
  ...more
}: TurnSetup): Turn {
  const { tools = [], profile = 'operator', context_docs = [], history = [], refs = [] } = more;
  const member = {
    id: 'consultant',
    name: 'Consultant',
    body: 'You know this project well.',
    model,
    effort,
    tools,
    refs,
    limits: { turns, minutes: 1 },
  };
  return { conv: 'conv-1', turn: 'turn-1', member, text, context_docs, profile, session: null, history };
}

export async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const all: TurnEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export const toText = (events: readonly TurnEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');

export const listTools = (events: readonly TurnEvent[]): ToolCall[] =>
  events.flatMap((event) => (event.type === 'tool' ? [event.call] : []));

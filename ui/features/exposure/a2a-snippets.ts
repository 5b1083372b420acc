import { shellQuoted } from '../../lib/shell-words.js';
import type { SnippetBlock } from './snippet-kinds.js';
import { type ShellTarget, setsToken, tokenVariable } from './snippets.js';
import { exported } from './token-blocks.js';

const fromVariable = (member: string) => `Token from ${tokenVariable(member)}`;

/**
 * A JSON-RPC call that waits for the answer. It generates a message id per call, because a repeated id is not answered
 * again.
 */
function rpc(target: ShellTarget, token?: string): string {
  const { origin, member, question } = target;
  const variable = tokenVariable(member);
  const [before = '', after = ''] = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: { message: { messageId: '%', role: 'ROLE_USER', parts: [{ text: question }] } },
  }).split(/%(.*)/s);
  return `${setsToken(target, token)}curl -s -X POST ${origin}/team/${member}/a2a \\
  -H "Authorization: Bearer $${variable}" \\
  -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' \\
  -d ${shellQuoted(before)}"$$-$(date +%s)"${shellQuoted(after)} |
  jq -r '.error.message // .result.task.artifacts[0].parts[0].text'`;
}

function official({ origin, member, question }: ShellTarget, token?: string): string {
  const secret = token ? JSON.stringify(token) : `process.env.${tokenVariable(member)}`;
  return `import { randomUUID } from 'node:crypto';
import { Role } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client';

function fetchImpl(address, init) {
  const headers = new Headers(init?.headers);
  headers.set('authorization', \`Bearer \${${secret}}\`);
  return fetch(address, { ...init, headers });
}
const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
  transports: [new JsonRpcTransportFactory({ fetchImpl })],
});
const client = await new ClientFactory(options).createFromUrl(
  '${origin}',
  'team/${member}/.well-known/agent-card.json',
);

const task = await client.sendMessage({
  message: {
    messageId: randomUUID(),
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: ${JSON.stringify(question)} } }],
  },
});
console.log(task.artifacts[0].parts[0].content.value);`;
}

export const a2a = (target: ShellTarget, token: string): SnippetBlock[] => [
  { label: fromVariable(target.member), text: rpc(target), withToken: rpc(target, token) },
];

export const a2aJs = (target: ShellTarget, token: string): SnippetBlock[] => [
  { label: 'First', text: 'npm install @a2a-js/sdk' },
  exported(target, 'Then, in the shell that it is started from'),
  {
    label: `${fromVariable(target.member)}; save as ask.mjs`,
    text: official(target),
    withToken: official(target, token),
  },
];

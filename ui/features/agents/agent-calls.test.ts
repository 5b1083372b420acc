import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Tier2Card } from '../../../daemon/contract/network/site.js';
import { agentCalls } from './agent-calls.js';

const callee = {
  agentId: 'painter',
  origin: 'http://127.0.0.1:4747',
  endpoint: 'https://paint.example/',
  protocols: ['http', 'a2a'],
  card: undefined,
};
const cardWith = (skills: { id: string; name: string; examples?: string[] }[]) => ({ skills }) as unknown as Tier2Card;
const commands = (more: object) => agentCalls({ ...callee, ...more }).map(({ command }) => command);

describe('agentCalls', () => {
  it('returns the commands that read the cards at the permanent address', () => {
    expect(commands({ endpoint: undefined })).toEqual([
      "curl -s -H 'Accept: application/json' 'http://127.0.0.1:4747/agent/painter'",
      "curl -sL 'http://127.0.0.1:4747/agent/painter/.well-known/agent.json'",
    ]);
  });

  it('returns a placeholder skill, or the card’s skills once it was read', () => {
    expect(commands({}).at(-1)).toContain("'https://paint.example/v1/SKILL'");
    const card = cardWith([
      { id: 'paint', name: 'Paint', examples: ['{"prompt": "a boat", "size": 2}', 'a boat'] },
      { id: 'frame', name: 'Frame', examples: ['a gilded frame'] },
    ]);
    const [, , paint, frame] = commands({ card });
    expect(paint).toContain(`'https://paint.example/v1/paint'`);
    expect(paint).toContain(`-d '{"prompt":"a boat","size":2}'`);
    expect(frame).toContain(`-d '{"prompt":"a gilded frame"}'`);
  });

  it('returns no call for an agent without http or with an invalid endpoint', () => {
    expect(commands({ protocols: ['mcp'] })).toHaveLength(2);
    expect(commands({ endpoint: 'javascript:alert(1)' })).toHaveLength(2);
  });

  it('quotes everything that the agent wrote for the shell', () => {
    const nasty = "'; id; echo $(id) `id` \n";
    const card = cardWith([{ id: nasty, name: nasty, examples: [nasty] }]);
    for (const command of commands({ agentId: nasty, endpoint: `https://paint.example/${nasty}`, card })) {
      const printed = execFileSync('sh', ['-c', command.replace(/^curl/, 'printf %s\\\\n')], { encoding: 'utf8' });
      expect(printed).not.toMatch(/uid=/);
    }
  });
});

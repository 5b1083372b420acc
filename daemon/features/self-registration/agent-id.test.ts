import { describe, expect, it } from 'vitest';
import { AGENT_ID_PATTERN } from '../../contract/network/agents.js';
import { checkAgentId } from '../../lib/agents/agent-id.js';
import { createAgentId } from './agent-id.js';

describe('createAgentId', () => {
  it.each([
    ['lamp', 'consultant', 1, 'lamp-consultant'],
    ['lamp', 'consultant', 2, 'lamp-consultant-2'],
    ['my lamp (old)', 'consultant', 1, 'my-lamp-old-consultant'],
    ['.dotted', 'dev', 1, 'dotted-dev'],
    ['Größe', 'dev', 1, 'Gr-e-dev'],
    ['日本', 'dev', 1, 'project-dev'],
    ['', 'dev', 1, 'project-dev'],
    ['mesh', 'dev', 1, 'project-mesh-dev'],
    ['Hub-of-things', 'dev', 1, 'project-Hub-of-things-dev'],
    ['oracle', 'dev', 3, 'project-oracle-dev-3'],
    ['meshd', 'dev', 1, 'project-meshd-dev'],
    ['meshd_lamp', 'dev', 1, 'meshd_lamp-dev'],
    ['--lamp_one-_', 'dev', 1, 'lamp_one-dev'],
    ['a.b..c', 'dev', 1, 'a-b-c-dev'],
    ['-_-', 'dev', 1, 'project-dev'],
    ['HUB', 'dev', 1, 'project-HUB-dev'],
    ['my-hub-1', 'dev', 1, 'my-hub-1-dev'],
    ['x'.repeat(59), 'dev', 1, `${'x'.repeat(59)}-dev`],
    ['x'.repeat(60), 'dev', 1, `${'x'.repeat(60)}-dev`],
    ['x'.repeat(61), 'dev', 1, `${'x'.repeat(60)}-dev`],
    [`${'x'.repeat(58)}--y`, 'dev', 1, `${'x'.repeat(58)}-dev`],
    ['x'.repeat(80), 'consultant', 12, `${'x'.repeat(50)}-consultant-12`],
  ])('builds from %j and %j (%d) the id %j', (project, member, n, expected) => {
    expect(createAgentId(project, member, n)).toBe(expected);
  });

  it('always returns a valid, unreserved id that is different for each number', () => {
    const members = ['ab', 'a'.repeat(32)];
    const projects = ['mesh', 'x'.repeat(200), '-_-', `${'y'.repeat(29)}--z`, 'hub-', 'me'];
    for (const project of projects) {
      for (const member of members) {
        const ids = [1, 2, 9, 10, 50].map((n) => createAgentId(project, member, n));
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) {
          expect(id).toMatch(new RegExp(AGENT_ID_PATTERN));
          checkAgentId(id, { isPartner: false });
        }
      }
    }
  });
});

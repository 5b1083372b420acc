import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { daemon, meshd } from '../../testing/processes/command-line.js';
import { heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

describe('the roadmap', () => {
  it('is listed, changed in the file, run and stopped', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const path = join(app.root, '.mesh/roadmap.md');
    expect((await meshd(app.root, 'roadmap', 'ls')).err).toContain('No tasks');
    writeFileSync(path, '# Plan\n\n- [ ] angle: set the angle @developer\n- [ ] docs: say so\n');
    expect((await meshd(app.root, 'roadmap', 'ls')).out).not.toContain('Plan');
    expect(await meshd(app.root, 'roadmap', 'set', 'docs')).toMatchObject({ exit: 2 });
    expect(await meshd(app.root, 'roadmap', 'set', 'none', '--state', 'done')).toMatchObject({ exit: 4 });
    await meshd(
      app.root,
      'roadmap',
      'set',
      'docs',
      '--state',
      'blocked',
      '--reason',
      'waits for the angle',
      '--member',
      'consultant',
    );
    expect(readFileSync(path, 'utf8')).toContain('- [-] docs: say so @consultant\n  reason: waits for the angle\n');
    expect(await meshd(app.root, 'roadmap', 'set', 'docs', '--no-member', '--json')).toMatchObject({ exit: 0 });

    expect((await meshd(app.root, 'roadmap', 'run', '--limit', '2')).out).toBe(
      'Running, 2 in parallel. In progress: angle.\n',
    );
    expect((await meshd(app.root, 'roadmap', 'ls')).out).toMatch(
      /^angle +running +developer +conv-\S+ +set the angle\ndocs +blocked/m,
    );
    writeFileSync(path, `${readFileSync(path, 'utf8')}\n## Soon\n\n- [ ] quay: draw it\n`);
    expect((await meshd(app.root, 'roadmap', 'ls')).out).toMatch(/^Plan +angle +running[\s\S]*^Soon +quay +open/m);
    expect((await meshd(app.root, 'roadmap', 'stop')).out).toContain('In progress: angle.');
    expect(await meshd(app.root, 'roadmap', 'run', '--limit', '9')).toMatchObject({ exit: 2 });
  });
});

import { basename, dirname } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { completed } from '../../testing/processes/command-line.js';
import { Refusal, standIn } from '../../testing/processes/daemon-stand-in.js';
import { scriptedDaemon } from '../../testing/processes/scripted-daemon.js';
import { putFiles } from '../../testing/temporary-folder.js';

const MEMBERS = { members: [{ id: 'consultant', name: 'Consultant' }] };

describe('the names that a key press offers', () => {
  it.each<[offers: string, line: string[], call: string, answer: object, words: string[]]>([
    [
      'only agents that are new to `team import`',
      ['team', 'import', ''],
      'GET /imports',
      {
        found: ['new', 'same', 'changed', 'unreadable'].map((state) => ({ id: `is-${state}`, source: 'x.md', state })),
      },
      ['is-new'],
    ],
    [
      'only messages that wait to `conversations drop`',
      ['conversations', 'drop', 'conv-1', ''],
      'GET /conversations/conv-1/messages',
      { turns: ['ended', 'running', 'queued'].map((state) => ({ turn: `turn-${state}`, state })) },
      ['turn-queued'],
    ],
    [
      'questions by their own id, not by that of their turn',
      ['inbox', 'allow', ''],
      'GET /permissions',
      { permissions: [{ pid: 'perm-1', turn: 'turn-1', conv: 'conv-1', tool: 'Edit', target: null }] },
      ['perm-1'],
    ],
    [
      'calls that wait by their own id, not by their agent',
      ['approve', ''],
      'GET /approvals',
      { approvals: [{ call_id: 'call-1', agent: 'lamp-1', skill: 'ask' }] },
      ['call-1'],
    ],
  ])('are %s', async (_offers, line, call, answer, words) => {
    const { root } = await scriptedDaemon({ [call]: answer });
    expect(await completed(root, ...line)).toEqual(words);
  });

  it.each([
    ['the member token', { token: 'ck_1' }, 'ck_1'],
    ['the admin token, when it is the only one', { admin_token: 'ak_1' }, 'ak_1'],
    ['the member token, when both are kept', { token: 'ck_1', admin_token: 'ak_1' }, 'ck_1'],
  ])('of the boards of a private cluster are asked for with %s', async (_which, kept, token) => {
    const id = 'c_00000000000000000001';
    const root = await standIn(({ line }, headers) =>
      line === `GET /v1/clusters/${id}/boards` && headers.authorization === `Bearer ${token}`
        ? { boards: [{ slug: 'rota', name: 'Rota' }] }
        : new Refusal(404, { error: 'not_found', message: 'There is none.' }),
    );
    const clusters = { [id]: { name: 'Crew', visibility: 'private', ...kept } };
    putFiles(root, { '.mesh/credentials/clusters.json': JSON.stringify(clusters) });
    expect(await completed(root, 'board', 'show', 'Crew', '')).toEqual(['rota']);
  });

  it('are those of the project that --root names from the home folder, which the shell passes as typed', async () => {
    const { root } = await scriptedDaemon({ 'GET /team': MEMBERS });
    vi.stubEnv('HOME', dirname(root));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await completed(`~/${basename(root)}`, 'team', 'show', '')).toEqual(['consultant']);
  });
});

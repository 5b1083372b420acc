import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NewConversation } from '../../contract/conversations.js';
import { MeshError } from '../../lib/errors.js';
import type { Transaction } from '../../storage/database/transaction.js';
import { checkpointParts } from '../../testing/parts/checkpoint-parts.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { Forks } from './forks.js';
import { ForksStore } from './forks-store.js';

const GIVEN = { agent_type: 'custom', title: 'Lamps', client: null, model: null, effort: null };

/** Conversation `conv-a` with a turn and a message. A fork is `conv-b`; `apart` names who works in a folder of its own. */
async function started({ apart = [], row = {} }: { apart?: string[]; row?: object } = {}) {
  const parts = await checkpointParts(temporaryRepository({ 'a.txt': '0\n' }));
  const { transactions, checkpoints, trees, conversations, root } = parts;
  await parts.runTurn('turn-1', () => putFiles(root, { 'a.txt': '1\n', 'b.txt': 'b\n' }));
  await parts.addMessage('turn-1', 'one');
  await transactions.run((transaction) => conversations.putChange(transaction, 'conv-a', { title: 'Lamps', ...row }));
  const notices: string[] = [];
  const asked: unknown[] = [];
  const given: NewConversation[] = [];
  const store = new ForksStore(parts.database);
  const forks = new Forks({
    ...{ transactions, checkpoints, trees, store, isApart: (conv) => apart.includes(conv) },
    conversations: {
      ...parts.conversationRows,
      requireFree(member, conv) {
        asked.push([member, conv]);
        if (member === 'busy') throw new MeshError('singleton_busy', 'It is busy.');
      },
      putNew(transaction: Transaction, one: NewConversation) {
        given.push(one);
        const nothing = { member: null, isolation: null, place_of: null, from_outside: 0, created_ms: 0 };
        conversations.put(transaction, { ...nothing, ...GIVEN, conv: 'conv-b' });
        return parts.conversationRows.row('conv-b');
      },
    },
    messages: {
      putNotice(_transaction, conv, text) {
        notices.push(`${conv}: ${text}`);
        return 'turn-9';
      },
    },
  });
  const refs = () => git(root, 'for-each-ref', '--format=%(objectname)', 'refs/meshd/conv-b').trim();
  return { ...parts, forks, store, notices, asked, given, refs };
}

describe('a fork', () => {
  it('in the project folder has the messages, and leaves the files', async () => {
    const { forks, store, notices, given, asked, conversations, refs } = await started({
      row: { isolation: 'project' },
    });
    expect(await forks.fork('conv-a', { checkpoint: 'turn-1' })).toEqual({ conv: 'conv-b' });
    expect(given).toEqual([{ ...GIVEN, isolation: 'project' }]);
    expect(notices).toEqual([
      'conv-b: Copied from conv-a as it was at turn-1. The files of the project are as they were before.',
    ]);
    expect([...conversations.everyMessage('conv-b')].map(({ text }) => text)).toEqual(['one']);
    expect([asked, refs(), store.findTree('conv-b')]).toEqual([[], '', undefined]);
  });

  it('of a conversation in a worktree begins in its own, with the files of the checkpoint', async () => {
    const { forks, store, notices, given, root, refs } = await started({ apart: ['conv-a'], row: { isolation: null } });
    await forks.fork('conv-a', { checkpoint: 'turn-1' });
    expect(given).toMatchObject([{ isolation: 'worktree' }]);
    expect(notices).toEqual(['conv-b: Copied from conv-a as it was at turn-1. Its files begin as they were then.']);
    const commit = git(root, 'rev-parse', 'refs/meshd/conv-a/turn-1').trim();
    expect([refs(), store.findTree('conv-b')]).toEqual([commit, git(root, 'rev-parse', `${commit}^{tree}`).trim()]);
    expect(git(root, 'rev-parse', 'refs/meshd/conv-b/fork').trim()).toBe(commit);
  });

  it('has the member, which must be free', async () => {
    const { forks, given, asked } = await started({ row: { member: 'developer' } });
    await forks.fork('conv-a', { checkpoint: 'start' });
    expect([asked, given]).toEqual([[['developer', undefined]], [{ ...GIVEN, isolation: null, member: 'developer' }]]);
    const busy = await started({ row: { member: 'busy' } });
    await expect(busy.forks.fork('conv-a', { checkpoint: 'start' })).rejects.toThrow('It is busy.');
    expect(busy.conversations.find('conv-b')).toBeUndefined();
  });

  it('needs a conversation and a checkpoint', async () => {
    const { forks } = await started();
    await expect(forks.fork('conv-z', { checkpoint: 'start' })).rejects.toThrow('There is no conversation `conv-z`.');
    await expect(forks.fork('conv-a', { checkpoint: 'turn-9' })).rejects.toThrow('There is no checkpoint `turn-9`');
  });

  it('has its messages although the files cannot be kept without a repository', async () => {
    const { forks, folders, notices } = await started({ apart: ['conv-a'] });
    folders.set('conv-a', temporaryFolder());
    expect(await forks.fork('conv-a', { checkpoint: 'start' })).toEqual({ conv: 'conv-b' });
    expect(notices).toHaveLength(1);
  });
});

describe('the files of a fork', () => {
  /** A fork whose folder is the worktree `folder`, in which another file is. */
  async function forked(apart: string[]) {
    const parts = await started({ apart });
    await parts.forks.fork('conv-a', { checkpoint: 'turn-1' });
    const folder = join(temporaryFolder(), 'worktree');
    git(parts.root, 'worktree', 'add', '-q', '--detach', folder);
    const text = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null);
    return { ...parts, folder, text };
  }

  it('are put into its folder once', async () => {
    const { forks, folder, text, store } = await forked(['conv-a', 'conv-b']);
    await forks.putFiles('conv-b', folder);
    expect([text('a.txt'), text('b.txt'), store.findTree('conv-b')]).toEqual(['1\n', 'b\n', undefined]);
    putFiles(folder, { 'a.txt': 'mine\n' });
    await forks.putFiles('conv-b', folder);
    expect(text('a.txt')).toBe('mine\n');
  });

  it('are not put into the project folder, nor into that of another conversation', async () => {
    const { forks, folder, text, store } = await forked(['conv-a']);
    for (const conv of ['conv-b', 'conv-a']) await forks.putFiles(conv, folder);
    expect([text('a.txt'), store.findTree('conv-b') === undefined]).toEqual(['0\n', false]);
  });

  it('stay due while the folder is in no repository', async () => {
    const { forks, folder, text, store } = await forked(['conv-a', 'conv-b']);
    await forks.putFiles('conv-b', temporaryFolder());
    expect(store.findTree('conv-b')).toBeDefined();
    await forks.putFiles('conv-b', folder);
    expect(text('a.txt')).toBe('1\n');
  });
});

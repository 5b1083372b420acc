import { expect, it } from 'vitest';
import { worktreesAlone } from '../../testing/parts/worktrees-alone.js';

const NEW = { conv: 'conv-1', path: '/w/1', prefix: 'app', base: 'b1', base_branch: 'main', created_ms: 10 };

it('a worktree is being made, then ready with what was put into it, then used, then removed', async () => {
  const { store, transactions } = worktreesAlone();
  const row = { ...NEW, branch: null, provided: [], used_ms: 10 };
  await transactions.run((transaction) => store.putNew(transaction, NEW));
  expect(store.find('conv-1')).toEqual({ ...row, state: 'creating' });
  await transactions.run((transaction) => store.putReady(transaction, 'conv-1', ['.env', 'lib']));
  const ready = { ...row, state: 'ready', provided: ['.env', 'lib'] };
  expect(store.find('conv-1')).toEqual(ready);
  await transactions.run((transaction) => store.putUsed(transaction, 'conv-1', 'meshd/lamp/x', 20));
  await transactions.run((transaction) => store.putBase(transaction, 'conv-1', 'b2'));
  await transactions.run((transaction) => store.putPath(transaction, 'conv-1', '/w/2'));
  expect(store.find('conv-1')).toEqual({ ...ready, branch: 'meshd/lamp/x', used_ms: 20, base: 'b2', path: '/w/2' });
  await transactions.run((transaction) => store.putRemoving(transaction, 'conv-1'));
  expect(store.find('conv-1')?.state).toBe('removing');
  await transactions.run((transaction) => store.putReady(transaction, 'conv-1', []));
  expect(store.find('conv-1')).toMatchObject({ state: 'removing', provided: ['.env', 'lib'] });
  await transactions.run((transaction) => store.drop(transaction, 'conv-1'));
  expect(store.find('conv-1')).toBeUndefined();
});

it('worktrees are listed newest first, those of one moment by their conversations, and changed one at a time', async () => {
  const { store, transactions } = worktreesAlone();
  const put = (conv: string, created_ms: number) =>
    transactions.run((transaction) => store.putNew(transaction, { ...NEW, conv, created_ms, base_branch: null }));
  await put('conv-b', 10);
  await put('conv-c', 20);
  await put('conv-a', 10);
  expect(store.list().map(({ conv, base_branch }) => [conv, base_branch])).toEqual([
    ['conv-c', null],
    ['conv-a', null],
    ['conv-b', null],
  ]);
  await transactions.run((transaction) => {
    store.putReady(transaction, 'conv-a', []);
    store.putUsed(transaction, 'conv-a', 'x', 30);
    store.putBase(transaction, 'conv-a', 'other');
    store.putPath(transaction, 'conv-a', '/elsewhere');
    store.putRemoving(transaction, 'conv-a');
    store.drop(transaction, 'conv-a');
  });
  const rest = { path: '/w/1', state: 'creating', base: 'b1', branch: null };
  expect(store.list()).toMatchObject([rest, rest]);
});

it('where a conversation works is fixed once', async () => {
  const { store, transactions, conversations, converse } = worktreesAlone();
  await converse('conv-1');
  await converse('conv-2');
  await transactions.run((transaction) => store.putPlace(transaction, 'conv-1', 'worktree', 'First.'));
  await transactions.run((transaction) => store.putPlace(transaction, 'conv-1', 'project', 'Second.'));
  expect(conversations.find('conv-1')).toMatchObject({ place: 'worktree', place_reason: 'First.' });
  expect(conversations.find('conv-2')).toMatchObject({ place: null, place_reason: '' });
});

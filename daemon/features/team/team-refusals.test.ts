import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Draft } from '../../contract/team.js';
import { aTeam } from '../../testing/apps/a-team.js';
import { DEFAULT_ROSTER } from './default-roster.js';
import type { Team } from './team.js';

const ADA = '---\nname: Ada\n---\n\nYou are Ada.\n';

/** The code, the message and the details of the error with which `call` is refused. */
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    ({ code, message, details }: { code: string; message: string; details: object }) => [code, message, details],
  );

describe('what a user reads when the team refuses', () => {
  it.each<[string, (team: Team) => Promise<unknown>, [string, string, object]]>([
    ['an unknown member', (team) => team.get('nobody'), ['not_found', 'There is no member `nobody`.', {}]],
    ['a change of none', (team) => team.patch('nobody', {}), ['not_found', 'There is no member `nobody`.', {}]],
    [
      'a member without id and name',
      (team) => team.create({ body: 'x' }),
      ['bad_request', 'Give an `id`, or a `name` to make one from.', { path: 'name' }],
    ],
    [
      'a member that is there',
      (team) => team.create({ id: 'ada' }),
      ['member_exists', 'There is a member `ada` already; `ada-2` is free.', { suggested: 'ada-2' }],
    ],
    [
      'the removal of a singleton',
      (team) => team.remove('only'),
      ['member_protected', '`only` is a singleton: the project relies on it, so it cannot be deleted.', {}],
    ],
    [
      'to restore what is fine',
      (team) => team.restore('ada'),
      ['member_exists', 'The file of `ada` is there and fine; delete it first to start over.', {}],
    ],
    [
      'to restore what never was',
      (team) => team.restore('nobody'),
      [
        'not_found',
        'There is nothing to restore: `nobody` is not a default member, and no text of it was kept when it was removed.',
        {},
      ],
    ],
    [
      'another kind',
      (team) => team.replaceFile('ada', ADA.replace('---\n', '---\nkind: singleton\n')),
      ['immutable_field', '`kind` cannot be changed here: edit the file by hand.', { path: 'kind' }],
    ],
    [
      'to be required',
      (team) => team.replaceFile('only', '---\nkind: singleton\nrequired: true\n---\n'),
      ['immutable_field', '`required` cannot be changed here: edit the file by hand.', { path: 'required' }],
    ],
    [
      'a draft of two texts',
      (team) => team.draft({ text: 'a', raw_text: 'b' }),
      ['bad_request', '`raw_text` is another word for `text`: give one of them.', { path: 'raw_text' }],
    ],
    [
      'a draft of nothing',
      (team) => team.draft({}),
      ['bad_request', 'Describe in `text` what the member should do.', { path: 'text' }],
    ],
    [
      'a draft of blanks',
      (team) => team.draft({ raw_text: ' \n' }),
      ['bad_request', 'Describe in `text` what the member should do.', { path: 'text' }],
    ],
  ])('%s', async (_title, call, said) => {
    const { team } = await aTeam({ files: { ada: ADA, only: '---\nkind: singleton\n---\n' } });
    expect(await refusal(call(team))).toEqual(said);
  });

  it('below revision 29: which one the roster needs, and what raises it', async () => {
    const { team } = await aTeam({ ports: { standardVersion: () => 28 } });
    const said = [
      'forbidden',
      'The team roster needs standard revision 29; this project is at 28. Run `meshd upgrade`.',
      {},
    ];
    for (const call of [
      () => team.createFile('ada', ADA),
      () => team.replaceFile('ada', ADA),
      () => team.remove('ada'),
      () => team.restore('ada'),
      () => team.file('ada'),
    ]) {
      expect(await refusal(call())).toEqual(said);
    }
  });

  it('an edit of a file that has changed, or that is no text: with the revision to go on from', async () => {
    const { team, path } = await aTeam({ files: { ada: ADA } });
    const { revision } = await team.get('ada');
    expect(await refusal(team.patch('ada', {}, 'another'))).toEqual([
      'file_changed',
      'The file has changed since you read it: read it again and repeat the edit.',
      { revision },
    ]);
    expect((await team.patch('ada', { color: 'red' }, revision)).color).toBe('red');
    symlinkSync(path('ada'), path('linked'));
    expect(await refusal(team.patch('linked', {}))).toEqual([
      'file_changed',
      'The file cannot be edited: This is a symbolic link: put the file itself here.',
      {},
    ]);
    const problem = { line: 1, column: 1, reason: 'This is a symbolic link: put the file itself here.' };
    expect(await refusal(team.file('linked'))).toEqual([
      'bad_request',
      `The file has no text that could be shown: ${problem.reason}`,
      { path: 'id', problem },
    ]);
    expect(await team.remove('linked')).toStrictEqual({ ok: true, deleted: 'linked' });
  });
});

describe('a member whose id is that of a shipped singleton', () => {
  it('can be removed when it is none, and not while its file is broken', async () => {
    const files = {
      'architect-master': ADA,
      'roadmap-orchestrator': '---\nname: [\n---\n',
      developer: '---\nname: [\n',
    };
    const { team } = await aTeam({ files });
    expect(await team.remove('architect-master')).toMatchObject({ ok: true });
    await expect(team.remove('roadmap-orchestrator')).rejects.toMatchObject({ code: 'member_protected' });
    expect(await team.remove('developer')).toMatchObject({ ok: true, copy: 'kept/developer.md' });
  });
});

describe('an id', () => {
  it('is suggested that is free, and differs from the one that was asked for', async () => {
    const { team } = await aTeam({ files: { ada: ADA, 'ada-2': ADA } });
    expect(await refusal(team.create({ name: 'Ada' }))).toMatchObject([
      'member_exists',
      expect.anything(),
      { suggested: 'ada-3' },
    ]);
    expect(await refusal(team.createFile('ada-2', ADA))).toMatchObject([
      'member_exists',
      expect.anything(),
      { suggested: 'ada-2-2' },
    ]);
    expect(await refusal(team.draft({ text: 'x', name: 'Ada' }))).toMatchObject([
      'member_exists',
      expect.anything(),
      { suggested: 'ada-3' },
    ]);
  });

  it('of a draft is not one that another member has by its name', async () => {
    const { team } = await aTeam({ files: { bea: 'You are Bea.', eve: ADA } });
    for (const name of ['ada', ' ADA ']) {
      expect(await refusal(team.draft({ text: 'x', name })), name).toMatchObject([
        'member_exists',
        'There is a member `ada` already; `ada-2` is free.',
        {},
      ]);
    }
    expect(await team.draft({ text: 'x', name: 'Eva' })).toMatchObject({ id: 'eva', name: 'Eva' });
  });
});

describe('a draft', () => {
  const DRAFT: Draft = { id: 'eve', name: 'Eve', body: 'You are Eve.', drafted_by: 'acp', warnings: [] };

  it('is written by the model where there is one, from what was asked for, without blanks around it', async () => {
    const asked: unknown[] = [];
    const { team } = await aTeam({
      files: { ada: ADA },
      ports: {
        drafter: async (wish, isTaken) => {
          asked.push(wish, ['ada', 'eve', 'draft'].map(isTaken));
          return DRAFT;
        },
      },
    });
    expect(await team.draft({ text: ' Greets. ', raw_text: ' Greets. ', name: ' Eve ', emoji: '🦉' })).toEqual(DRAFT);
    expect(asked).toEqual([{ text: 'Greets.', name: 'Eve', emoji: '🦉' }, [true, false, true]]);
  });

  it('is written from the template without a model, and when the model fails', async () => {
    const failing = () => Promise.reject(new Error('no answer'));
    for (const ports of [{}, { drafter: failing }]) {
      const { team } = await aTeam({ ports });
      expect(await team.draft({ raw_text: 'A form tester that checks forms.' })).toMatchObject({
        ...{ id: 'form-tester', name: 'Form Tester', drafted_by: 'template' },
      });
    }
  });

  it('counts a member that was just written to the disk', async () => {
    const { team, path } = await aTeam();
    writeFileSync(path('eve'), ADA);
    await expect(team.draft({ text: 'x', name: 'Eve' })).rejects.toMatchObject({ code: 'member_exists' });
  });
});

describe('the restoring of a member', () => {
  it('that was exposed before its file broke asks no hook again', async () => {
    const { team, path } = await aTeam({ seeded: true });
    const asked: string[] = [];
    team.onOpening(async ({ id }) => void asked.push(id));
    writeFileSync(path('consultant'), '---\nname: [\n---\n');
    expect(await team.restore('consultant')).toMatchObject({ state: 'ok', exposure: 'external' });
    expect(asked).toEqual([]);
    await team.remove('consultant');
    await team.restore('consultant');
    expect(asked).toEqual(['consultant']);
  });

  it('prefers the kept text of one that is gone, and the shipped one for one that is broken', async () => {
    const kept = ADA.replace('You are Ada.', 'You are mine.');
    const asked: string[] = [];
    const read = async (id: string) => {
      asked.push(id);
      return id === 'consultant' ? undefined : kept;
    };
    const removed = { keep: async (id: string) => id, list: async () => [], read };
    const { team, text } = await aTeam({ files: { developer: '---\nname: [\n---\n' }, ports: { removed } });
    await team.restore('developer');
    expect(text('developer')).toBe(DEFAULT_ROSTER.get('developer'));
    await team.restore('deployer');
    expect(text('deployer')).toBe(kept);
    await team.restore('consultant');
    expect(text('consultant')).toBe(DEFAULT_ROSTER.get('consultant'));
    expect(asked).toEqual(['deployer', 'consultant']);
  });

  it('is refused when a hook refuses to expose it, and leaves nothing behind', async () => {
    const { team, root } = await aTeam();
    const undone: string[] = [];
    team.onExposing(async (id) => async () => void undone.push(id));
    team.onOpening(async ({ id }) => {
      throw new Error(`not ${id}`);
    });
    await expect(team.restore('consultant')).rejects.toThrow('not consultant');
    expect((await team.list()).count).toBe(0);
    await team.restore('developer');
    expect(readFileSync(join(root, '.mesh/team/developer.md'), 'utf8')).toBe(DEFAULT_ROSTER.get('developer'));
    expect(undone).toEqual([]);
  });
});

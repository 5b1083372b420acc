import { existsSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MarkdownFolder } from '../../storage/members/markdown-folder.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { type MemberChange, TeamStore } from './team-store.js';

const ADA = '---\nname: Ada\n---\n\nYou are Ada.\n';
const BROKEN = '---\nname: [\n---\n';

/** A store that is not watched, over a folder with `files`, and the changes that it has told of. */
function aStore(files: Record<string, string> = {}) {
  const root = temporaryFolder(
    Object.fromEntries(Object.entries(files).map(([id, text]) => [`.mesh/team/${id}.md`, text])),
  );
  const folder = new MarkdownFolder(root, ['.mesh', 'team'], () => undefined);
  const store = new TeamStore(folder);
  onTestFinished(() => store.close());
  const changes: MemberChange[] = [];
  store.onChange(async (change) => void changes.push(change));
  const path = (id: string) => join(root, '.mesh/team', `${id}.md`);
  return { root, folder, store, changes, path };
}

const summary = ({ id, before, after, origin }: MemberChange) =>
  [id, before?.version?.name ?? before?.problem?.line, after?.version?.name ?? after?.problem?.line, origin] as const;

describe('opening', () => {
  it('reads every file, however many, and tells nobody', async () => {
    const ids = Array.from({ length: 35 }, (_, n) => `member-${n}`);
    const { store, changes, path } = aStore(Object.fromEntries(ids.map((id) => [id, `---\nname: ${id} it\n---\n`])));
    symlinkSync('nowhere', path('linked'));
    await store.open();
    expect(store.list()).toHaveLength(36);
    expect(ids.map((id) => store.find(id)?.version?.name)).toEqual(ids.map((id) => `${id} it`));
    expect(store.find('linked')).toMatchObject({ revision: '', version: undefined });
    expect(changes).toEqual([]);
  });

  it('leaves out a file that was removed after the folder was listed', async () => {
    const { folder, store } = aStore({ ada: ADA });
    folder.read = async () => undefined;
    await store.open();
    expect(store.list()).toEqual([]);
  });

  it('starts to watch: a later change on disk is told', async () => {
    const { store, changes, path } = aStore({ ada: ADA });
    await store.open();
    expect(store.watching).toEqual({ mode: 'notices' });
    writeFileSync(path('ada'), ADA.replace('name: Ada', 'name: Eve'));
    await expect.poll(() => changes.map(summary)).toEqual([['ada', 'Ada', 'Eve', 'disk']]);
  });

  it('seeds the folder, which exists from then on', async () => {
    const { store, path } = aStore();
    expect(await store.exists()).toBe(false);
    await store.seed(new Map([['ada', ADA]]));
    expect(await store.exists()).toBe(true);
    expect(readFileSync(path('ada'), 'utf8')).toBe(ADA);
    expect(store.pathOf('ada')).toBe('.mesh/team/ada.md');
    expect(await store.read('ada')).toMatchObject({ kind: 'text', text: ADA });
    expect(await store.read('bea')).toBeUndefined();
  });
});

describe('a scan', () => {
  it('tells each change once, with what was known before', async () => {
    const { store, changes, path } = aStore({ ada: ADA });
    await store.refresh();
    writeFileSync(path('ada'), ADA.replace('name: Ada', 'name: Eve'));
    await store.refresh();
    await store.refresh();
    unlinkSync(path('ada'));
    await store.refresh();
    await store.refresh();
    expect(changes.map(summary)).toEqual([
      ['ada', undefined, 'Ada', 'disk'],
      ['ada', 'Ada', 'Eve', 'disk'],
      ['ada', 'Eve', undefined, 'disk'],
    ]);
    expect(store.list()).toEqual([]);
  });

  it('keeps the last good version of a file that is broken, and forgets the problem when it is good again', async () => {
    const { store, changes, path } = aStore({ ada: ADA });
    await store.refresh();
    const good = store.find('ada');
    writeFileSync(path('ada'), BROKEN);
    await store.refresh();
    expect(store.find('ada')).toMatchObject({ version: good?.version, problem: { line: 3 } });
    expect(store.find('ada')?.revision).not.toBe(good?.revision);
    writeFileSync(path('ada'), ADA);
    await store.refresh();
    expect(store.find('ada')).toEqual(good);
    expect(changes).toHaveLength(3);
  });

  it('tells of another reason why a file cannot be read, though neither has a digest', async () => {
    const { store, changes, path } = aStore({ ada: ADA });
    await store.refresh();
    unlinkSync(path('ada'));
    symlinkSync('nowhere', path('ada'));
    await store.refresh();
    unlinkSync(path('ada'));
    mkdirSync(path('ada'));
    await store.refresh();
    await store.refresh();
    expect(changes.slice(1).map(({ after }) => [after?.revision, after?.problem?.reason])).toEqual([
      ['', 'This is a symbolic link: put the file itself here.'],
      ['', 'This is not a regular file: put a Markdown file here.'],
    ]);
  });

  it('does not take for gone or broken what an editor writes anew at once', async () => {
    const { folder, store, changes, path } = aStore({ ada: ADA });
    await store.refresh();
    const eve = ADA.replace('name: Ada', 'name: Eve');
    const read = folder.read.bind(folder);
    let reads = 0;
    folder.read = async (name) => {
      const state = await read(name);
      reads += 1;
      if (reads === 1) writeFileSync(path('ada'), eve);
      return state;
    };
    unlinkSync(path('ada'));
    await store.refresh();
    expect(changes.slice(1).map(summary)).toEqual([['ada', 'Ada', 'Eve', 'disk']]);
    reads = 0;
    writeFileSync(path('ada'), '');
    await store.refresh();
    expect(changes).toHaveLength(2);
    expect(store.find('ada')?.problem).toBeUndefined();
  });

  it('names no secret in the reason why a file is broken', async () => {
    const { store, path } = aStore({ ada: ADA });
    writeFileSync(path('ada'), `---\nlimits: {mk_${'a1'.repeat(16)}: 1}\n---\n`);
    await store.refresh();
    const { reason } = store.find('ada')?.problem ?? {};
    expect(reason).toContain('is not a key that belongs there');
    expect(reason).not.toContain('a1a1');
  });

  it('lists a file whose name is no member id as broken', async () => {
    const { store } = aStore({ 'My Agent': ADA });
    await store.refresh();
    expect(store.find('My Agent')).toMatchObject({
      id: 'My Agent',
      version: undefined,
      problem: {
        ...{ line: 1, column: 1 },
        reason:
          'The file name is not a member id: rename it to 2 to 32 small letters, digits and hyphens, starting with ' +
          'a letter.',
      },
    });
  });
});

describe('an edit', () => {
  it('is written and told before it resolves', async () => {
    const { store, changes, path } = aStore({ ada: ADA });
    await store.refresh();
    const eve = ADA.replace('name: Ada', 'name: Eve');
    const stored = await store.change('ada', (current) => {
      expect(current).toMatchObject({ kind: 'text', text: ADA });
      return eve;
    });
    expect(stored.version?.name).toBe('Eve');
    expect(readFileSync(path('ada'), 'utf8')).toBe(eve);
    expect(changes.slice(1).map(summary)).toEqual([['ada', 'Ada', 'Eve', 'edit']]);
  });

  it('that changes nothing writes nothing and tells nobody', async () => {
    const { folder, store, changes } = aStore({ ada: ADA });
    await store.refresh();
    folder.write = () => Promise.reject(new Error('written'));
    expect((await store.change('ada', () => ADA)).version?.name).toBe('Ada');
    expect(changes).toHaveLength(1);
  });

  it('that its listener refuses fails, though the file is written', async () => {
    const { store, path } = aStore();
    store.onChange(async () => {
      throw new Error('refused');
    });
    await expect(store.change('ada', () => ADA)).rejects.toThrow('refused');
    expect(existsSync(path('ada'))).toBe(true);
  });

  it('undoes what was done for it when it is not written, the last first, and even when an undo fails', async () => {
    const { folder, store, path } = aStore({ ada: ADA });
    const undone: string[] = [];
    const edit = async (_current: unknown, ifNotWritten: (undo: () => Promise<void>) => void) => {
      ifNotWritten(async () => void undone.push('first'));
      ifNotWritten(() => Promise.reject(new Error('not undone')));
      ifNotWritten(async () => void undone.push('last'));
      return 'New.\n';
    };
    await store.change('ada', edit);
    expect(undone).toEqual([]);
    const write = folder.write.bind(folder);
    folder.write = () => Promise.reject(new Error('The disk is full.'));
    await expect(store.change('bea', edit)).rejects.toThrow('The disk is full.');
    expect(undone).toEqual(['last', 'first']);
    await expect(store.replace('bea', (ifNotWritten) => edit(undefined, ifNotWritten))).rejects.toThrow('disk');
    expect(undone).toEqual(['last', 'first', 'last', 'first']);
    folder.write = write;
    await expect(
      store.change('bea', (_current, ifNotWritten) => {
        ifNotWritten(async () => void undone.push('refused'));
        throw new Error('refused');
      }),
    ).rejects.toThrow('refused');
    expect(undone.at(-1)).toBe('refused');
    expect(existsSync(path('bea'))).toBe(false);
  });

  it('waits for the one before it', async () => {
    const { store } = aStore({ ada: ADA });
    const texts = ['one\n', 'two\n', 'three\n'];
    const seen: (string | undefined)[] = [];
    await Promise.all(
      texts.map((text) =>
        store.change('ada', async (current) => {
          seen.push(current?.kind === 'text' ? current.text : undefined);
          await new Promise((resolve) => setImmediate(resolve));
          return text;
        }),
      ),
    );
    expect(seen).toEqual([ADA, 'one\n', 'two\n']);
  });

  it('sees a change on disk of which nobody was told yet, and that change is told first', async () => {
    const { store, changes, path } = aStore({ ada: ADA });
    await store.refresh();
    writeFileSync(path('ada'), ADA.replace('name: Ada', 'name: Eve'));
    await store.change('ada', (current) => (current?.kind === 'text' ? current.text.replace('Eve', 'Zoe') : ''));
    writeFileSync(path('ada'), ADA);
    await store.replace('ada', async () => ADA.replace('name: Ada', 'name: Bea'));
    writeFileSync(path('ada'), ADA);
    await store.remove('ada', async () => undefined);
    expect(changes.slice(1).map(summary)).toEqual([
      ['ada', 'Ada', 'Eve', 'disk'],
      ['ada', 'Eve', 'Zoe', 'edit'],
      ['ada', 'Zoe', 'Ada', 'disk'],
      ['ada', 'Ada', 'Bea', 'edit'],
      ['ada', 'Bea', 'Ada', 'disk'],
      ['ada', 'Ada', undefined, 'edit'],
    ]);
  });
});

describe('replacing and removing', () => {
  it('a link is replaced by the file, and what it leads to stays', async () => {
    const { root, store, changes, path } = aStore({ bea: ADA });
    putFiles(root, { target: 'TOP' });
    symlinkSync(join(root, 'target'), path('ada'));
    expect((await store.replace('ada', async () => ADA)).version?.name).toBe('Ada');
    expect([readFileSync(path('ada'), 'utf8'), readFileSync(join(root, 'target'), 'utf8')]).toEqual([ADA, 'TOP']);
    expect(changes.map(summary).at(-1)).toEqual(['ada', 1, 'Ada', 'edit']);
  });

  it('a member is removed after the check, and stays when the check refuses', async () => {
    const { store, changes, path } = aStore({ ada: ADA });
    await store.refresh();
    const refuse = async () => {
      throw new Error('refused');
    };
    await expect(store.remove('ada', refuse)).rejects.toThrow('refused');
    expect(existsSync(path('ada'))).toBe(true);
    await store.remove('ada', async () => expect(existsSync(path('ada'))).toBe(true));
    expect([existsSync(path('ada')), store.find('ada')]).toEqual([false, undefined]);
    expect(changes.slice(1).map(summary)).toEqual([['ada', 'Ada', undefined, 'edit']]);
  });

  it('a scan during a change waits for it', async () => {
    const { store } = aStore({ ada: ADA });
    await store.refresh();
    let isTold = false;
    store.onChange(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      isTold = true;
    });
    const edit = store.change('ada', () => 'New.\n');
    await store.refresh();
    expect(isTold).toBe(true);
    await edit;
  });
});

import { describe, expect, it } from 'vitest';
import type { GitRepository } from '../../storage/git/git-repository.js';
import { WorkingTrees } from '../../storage/git/working-trees.js';
import { temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { findGenerated } from './generated-files.js';

/** A repository in which git cannot tell the attributes of a file. */
const withoutAttributes = {
  run: async () => ({ code: 128, stdout: 'a.txt\0linguist-generated\0set\0', stderr: '' }),
} as unknown as GitRepository;

const find = async (...paths: string[]) => [...(await findGenerated(withoutAttributes, paths))];

describe('by their names', () => {
  it.each([
    ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'],
    ...['deno.lock', 'Cargo.lock', 'go.sum', 'poetry.lock', 'uv.lock', 'Pipfile.lock', 'pdm.lock', 'composer.lock'],
    ...['Gemfile.lock', 'mix.lock', 'pubspec.lock', 'Podfile.lock', 'Package.resolved', 'flake.lock'],
    ...['gradle.lockfile', 'packages.lock.json'],
  ])('%s is a lock file in every folder', async (name) => {
    expect(await find(name, `app/lib/${name}`)).toEqual([name, `app/lib/${name}`]);
    expect(await find(`${name}/a.txt`, `my-${name}`, `${name}.txt`)).toEqual([]);
  });

  it.each([
    ...['.min.js', '.min.css', '.js.map', '.css.map', '.mjs.map', '.pb.go', '_pb2.py', '_pb2_grpc.py', '.designer.cs'],
    ...['.g.dart', '.snap'],
  ])('what ends with %s is a build result', async (ending) => {
    const [path, upper] = [`src/main${ending}`, `src/main${ending.toUpperCase()}`];
    expect(await find(path, upper)).toEqual([path, upper]);
    expect(await find(`${path}.txt`, `${path}x`, `a${ending}/b.txt`)).toEqual([]);
    if (ending.startsWith('.')) expect(await find(`src/main-${ending.slice(1)}`)).toEqual([]);
  });

  it.each(['main.js', 'main.map', 'main.min.ts', 'main.ts.map', 'main_pb2_test.py', 'main.py', 'main.cs'])(
    '%s is none',
    async (name) => {
      expect(await find(name)).toEqual([]);
    },
  );

  it.each(['dist', 'node_modules', 'vendor/bundle', '__generated__', '__snapshots__'])(
    'what is below a folder %s is a build result',
    async (folder) => {
      const paths = [`${folder}/a.txt`, `app/${folder}/b/a.txt`];
      expect(await find(...paths)).toEqual(paths);
      expect(await find(folder, `app/${folder}`, `my${folder}/a.txt`, `${folder}2/a.txt`)).toEqual([]);
    },
  );
});

describe('by their attributes', () => {
  const findIn = async (attributes: string, ...paths: string[]) => {
    const root = temporaryRepository({ '.gitattributes': attributes });
    const trees = new WorkingTrees(temporaryFolder(), { PATH: process.env['PATH'], HOME: '/nonexistent' });
    const repository = (await trees.open(root)) as GitRepository;
    return [...(await findGenerated(repository, paths))];
  };

  it('a mark adds a file, and its opposite wins over the name', async () => {
    const attributes = [
      'a.txt linguist-generated',
      'b.txt linguist-generated=true',
      'c.txt linguist-generated=maybe',
      'd.txt linguist-vendored',
      '/go.sum -linguist-generated',
      'yarn.lock linguist-generated=false',
      'uv.lock !linguist-generated',
    ];
    const paths = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'go.sum', 'lib/go.sum', 'yarn.lock', 'uv.lock', 'true', 'set'];
    expect(await findIn(attributes.join('\n'), ...paths)).toEqual(['lib/go.sum', 'uv.lock', 'a.txt', 'b.txt']);
  });

  it('does not ask git about no file', async () => {
    const run = () => Promise.reject(new Error('git was asked'));
    expect(await findGenerated({ run } as unknown as GitRepository, [])).toEqual(new Set());
  });
});

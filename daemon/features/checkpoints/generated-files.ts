import type { GitRepository } from '../../storage/git/git-repository.js';

const NAMES = new Set([
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb', 'deno.lock'],
  ...['Cargo.lock', 'go.sum', 'poetry.lock', 'uv.lock', 'Pipfile.lock', 'pdm.lock', 'composer.lock', 'Gemfile.lock'],
  ...[
    'mix.lock',
    'pubspec.lock',
    'Podfile.lock',
    'Package.resolved',
    'flake.lock',
    'gradle.lockfile',
    'packages.lock.json',
  ],
]);
const ENDINGS =
  /(?:\.min\.(?:js|css)|\.(?:js|css|mjs)\.map|\.pb\.go|_pb2(?:_grpc)?\.py|\.designer\.cs|\.g\.dart|\.snap)$/i;
const FOLDERS = /(?:^|\/)(?:dist|node_modules|vendor\/bundle|__generated__|__snapshots__)\//;
const ATTRIBUTE = 'linguist-generated';

/**
 * Returns those of `paths` that are generated: lock files and build results by their names, and what the repository
 * marks `linguist-generated`. A mark of `-linguist-generated` wins over the name.
 */
export async function findGenerated(repository: GitRepository, paths: readonly string[]): Promise<Set<string>> {
  const generated = new Set(paths.filter(isGeneratedName));
  if (paths.length === 0) return generated;
  const input = `${paths.join('\0')}\0`;
  const { code, stdout } = await repository.run(['check-attr', '-z', '--stdin', ATTRIBUTE], { input });
  if (code !== 0) return generated;
  // Each entry is the path, the attribute and its value, each followed by a zero byte.
  const parts = stdout.split('\0');
  for (let at = 2; at < parts.length; at += 3) {
    const [path, value] = [parts[at - 2], parts[at]] as [string, string];
    if (value === 'set' || value === 'true') generated.add(path);
    if (value === 'unset' || value === 'false') generated.delete(path);
  }
  return generated;
}

function isGeneratedName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return NAMES.has(name) || ENDINGS.test(name) || FOLDERS.test(path);
}

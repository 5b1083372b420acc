/** State of the working tree from which a release is made. */
export interface ReleaseState {
  version: string;
  lockVersion: string;
  changelog: string;
  /** Output of `git status --porcelain`. Empty when everything is committed. */
  status: string;
  branch: string;
  tags: readonly string[];
  /** The tags of the commit that is released: there is one when an earlier attempt ended after it. */
  tagsHere: readonly string[];
}

export interface PackedFile {
  path: string;
  size: number;
}

const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const UNRELEASED = 'Unreleased';

export const tagName = (version: string): string => `v${version}`;

/** Returns the tag of npm under which a version is published. Without one npm gives a pre-release to everybody. */
export const channelOf = (version: string): string =>
  version.includes('-') ? (/-([a-z]+)/i.exec(version)?.[1] ?? 'next') : 'latest';

/** Returns the package that `npm pack --json` tells of: in an array, or from npm 12 on in an object by its name. */
export function readPacked<Packed>(text: string): Packed {
  const [packed] = Object.values(JSON.parse(text) as Record<string, Packed>);
  if (packed === undefined) throw new Error(`npm packed nothing: ${text}`);
  return packed;
}

/**
 * Returns the lines below the changelog heading `## <title>`, which may be followed by a date in parentheses, or
 * undefined when there is no such heading.
 */
export function findChangelogSection(changelog: string, title: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const isTitled = (section: string) => {
    const heading = section.split('\n', 1)[0]?.trim() ?? '';
    return heading === title || heading.startsWith(`${title} (`);
  };
  const found = sections.find(isTitled);
  return found?.slice(found.indexOf('\n') + 1).trim();
}

/**
 * Returns every reason that prevents a release, each as one sentence for the maintainer. The list is empty when there
 * is none.
 */
export function findProblems({
  version,
  lockVersion,
  changelog,
  status,
  branch,
  tags,
  tagsHere,
}: ReleaseState): string[] {
  const problems: string[] = [];
  if (!VERSION.test(version))
    problems.push(`The version of package.json, ${version}, is not of the form 1.2.3 or 1.2.3-beta.1.`);
  if (lockVersion !== version)
    problems.push(`package-lock.json has version ${lockVersion}, package.json ${version}: run \`npm install\`.`);
  if (tags.includes(tagName(version)) && !tagsHere.includes(tagName(version)))
    problems.push(`The tag ${tagName(version)} exists: raise the version with \`npm version --no-git-tag-version\`.`);
  if (!findChangelogSection(changelog, version))
    problems.push(
      `CHANGELOG.md has nothing under a heading "## ${version}": move the lines of "## ${UNRELEASED}" there.`,
    );
  else if (findChangelogSection(changelog, UNRELEASED))
    problems.push(`CHANGELOG.md still has lines under "## ${UNRELEASED}": move them under "## ${version}".`);
  if (branch !== 'main') problems.push(`The branch is ${branch || 'detached'}: releases are made from main.`);
  if (status !== '') problems.push(`${status.split('\n').length} files are not committed: commit or remove them.`);
  return problems;
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1).padStart(9)} kB`;

/** Returns one row per folder of the tarball up to two levels deep, largest first, with its number of files. */
export function formatContents(files: readonly PackedFile[]): string[] {
  const folders = new Map<string, { count: number; size: number }>();
  for (const { path, size } of files) {
    const parts = path.split('/');
    const folder = parts.length > 2 ? `${parts.slice(0, 2).join('/')}/` : path;
    const { count, size: before } = folders.get(folder) ?? { count: 0, size: 0 };
    folders.set(folder, { count: count + 1, size: before + size });
  }
  return [...folders]
    .sort(([, a], [, b]) => b.size - a.size)
    .map(([folder, { count, size }]) => `${kilobytes(size)}  ${folder}${folder.endsWith('/') ? ` (${count})` : ''}`);
}

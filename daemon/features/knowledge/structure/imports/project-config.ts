import { getFolder, joinPath } from './path-index.js';

interface PathsConfig {
  folder: string;
  baseUrl: string | undefined;
  paths: readonly (readonly [string, readonly string[]])[];
}

export interface PackageConfig {
  folder: string;
  name: string;
  exports: unknown;
  imports: unknown;
  main: string | undefined;
}

/** What the manifests of a project say about the names of its modules. */
export interface ProjectConfig {
  /** `compilerOptions` of each `tsconfig.json` and `jsconfig.json`, the deepest folder first. */
  tsconfigs: PathsConfig[];
  packages: PackageConfig[];
  goModules: { folder: string; module: string }[];
  crates: { folder: string; name: string }[];
}

const MANIFEST = /(?:^|\/)(?:[tj]sconfig[\w.-]*\.json|package\.json|go\.mod|Cargo\.toml)$/;
const MANIFESTS_MAX = 2_000;
const PATHS_MAX = 500;

/** Reads the manifests among `paths`. Malformed ones say nothing. */
export function readConfig(paths: readonly string[], read: (path: string) => string | undefined): ProjectConfig {
  const config: ProjectConfig = { tsconfigs: [], packages: [], goModules: [], crates: [] };
  for (const path of paths.filter((one) => MANIFEST.test(one)).slice(0, MANIFESTS_MAX)) {
    const text = read(path);
    if (text !== undefined) addManifest(config, path, text);
  }
  config.tsconfigs.sort((a, b) => b.folder.length - a.folder.length);
  config.packages.sort((a, b) => b.folder.length - a.folder.length);
  config.goModules.sort((a, b) => b.module.length - a.module.length);
  config.crates.sort((a, b) => b.folder.length - a.folder.length);
  return config;
}

function addManifest(config: ProjectConfig, path: string, text: string): void {
  const folder = getFolder(path);
  const name = path.slice(folder === '' ? 0 : folder.length + 1);
  if (name === 'go.mod') {
    const module = /^module\s+"?([^\s"]{1,300})/m.exec(text)?.[1];
    if (module !== undefined) config.goModules.push({ folder, module });
  } else if (name === 'Cargo.toml') {
    const section = /^\[package\]([^[]*)/m.exec(text)?.[1] ?? '';
    const crate = /^[ \t]*name[ \t]*=[ \t]*"([^"\n]{1,100})"/m.exec(section)?.[1];
    if (crate !== undefined) config.crates.push({ folder, name: crate.replaceAll('-', '_') });
  } else {
    const json = parseJson(text);
    if (name === 'package.json') addPackage(config, folder, json);
    else addPaths(config, folder, json);
  }
}

function addPackage(config: ProjectConfig, folder: string, json: Record<string, unknown>): void {
  const { name, exports, imports, main, source } = json;
  config.packages.push({
    folder,
    name: typeof name === 'string' ? name : '',
    exports,
    imports,
    main: typeof source === 'string' ? source : typeof main === 'string' ? main : undefined,
  });
}

function addPaths(config: ProjectConfig, folder: string, json: Record<string, unknown>): void {
  const options = toObject(json['compilerOptions']);
  const baseUrl = typeof options['baseUrl'] === 'string' ? joinPath(folder, options['baseUrl']) : undefined;
  const paths = Object.entries(toObject(options['paths']))
    .slice(0, PATHS_MAX)
    .flatMap(([pattern, targets]) => {
      const list = Array.isArray(targets) ? targets.filter((one): one is string => typeof one === 'string') : [];
      return list.length > 0 ? [[pattern, list] as const] : [];
    });
  if (baseUrl !== undefined || paths.length > 0) config.tsconfigs.push({ folder, baseUrl, paths });
}

export const toObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Parses JSON with comments and trailing commas; anything else is an empty object. */
function parseJson(text: string): Record<string, unknown> {
  try {
    return toObject(JSON.parse(text));
  } catch {
    try {
      return toObject(JSON.parse(withoutComments(text)));
    } catch {
      return {};
    }
  }
}

/** A string that does not end is taken to the end of its line, a comment to the end of the text: none is read twice. */
const PARTS = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|,(?=\s*[}\]])/g;

const withoutComments = (text: string) => text.replace(PARTS, (part) => (part.startsWith('"') ? part : ''));

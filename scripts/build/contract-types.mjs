/** Generates the contract's types as declarations without imports. Types derived from a schema are written out. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { rolldown } from 'rolldown';
import { parseSync } from 'rolldown/experimental';
import { constantText, keyOf, textOf } from './schema-text.mjs';

const FOLDER = 'daemon/contract';
const isModule = (file) => file.endsWith('.ts') && !file.endsWith('.test.ts');
/** Returns the modules of the contract by their paths in it, in the order of their names. */
const listModules = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter(isModule)
    .sort((a, b) => (basename(a) < basename(b) ? -1 : 1));
const capitalized = (file) =>
  basename(file, '.ts').replaceAll(/(^|-)(\w)/g, (_all, _dash, letter) => letter.toUpperCase());

/**
 * Keeps the name in `Type.Unsafe<X>(…)`, which otherwise evaluates to the inner schema alone, and exports the constants
 * that a module does not export.
 */
const withNames = {
  name: 'with-names',
  transform(code, id) {
    if (!id.endsWith('.ts')) return undefined;
    const own = [...code.matchAll(/^const (\w+)/gm)].map(([, name]) => name);
    const named = code.replaceAll(/Type\.Unsafe<([A-Z]\w+)>\(/g, "named('$1', ");
    return `${named}
function named(name: string, schema: any) { return { ...Type.Unsafe(schema), 'x-type': name } as any; }
export { ${own.join(', ')} };
`;
  },
};

/** Returns the values that the contract's modules export, by module. */
async function valuesOf(root, modules) {
  const entry = modules
    .map((file, index) => `export * as m${index} from ${JSON.stringify(join(root, FOLDER, file))};`)
    .join('\n');
  const bundle = await rolldown({
    cwd: root,
    input: 'contract-values',
    platform: 'node',
    plugins: [
      {
        name: 'contract-values',
        resolveId: (id) => (id === 'contract-values' ? '\0contract-values' : undefined),
        load: (id) => (id === '\0contract-values' ? entry : undefined),
      },
      withNames,
    ],
  });
  try {
    const { output } = await bundle.generate({ format: 'esm' });
    const found = await import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`);
    return new Map(modules.map((file, index) => [file, found[`m${index}`]]));
  } finally {
    await bundle.close();
  }
}

/** Returns the types and imports that a module declares, with the comments before its statements. */
function readModule(file, text) {
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const types = new Map();
  const docs = new Map();
  const imports = new Map();
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') {
      const from = posix.join(posix.dirname(file), statement.source.value).replace(/\.js$/, '.ts');
      for (const { imported, local } of statement.specifiers)
        imports.set(local.name, { file: from, name: imported?.name });
    }
    const isExported = statement.type === 'ExportNamedDeclaration';
    const node = isExported ? statement.declaration : statement;
    const name = node?.id?.name ?? node?.declarations?.[0]?.id?.name;
    const before = comments.findLast(({ type, end }) => type === 'Block' && end <= statement.start);
    const doc = before && /^\s*$/.test(text.slice(before.end, statement.start)) ? `/*${before.value}*/\n` : '';
    if (doc !== '') docs.set(name, doc);
    if (/^TS(TypeAlias|Interface)Declaration$/.test(node?.type ?? '')) types.set(name, { node, isExported });
  }
  return { file, text, types, docs, imports };
}

/** Visits every node below `node`. `visit` returns true for a node whose children must be skipped. */
function walk(node, visit) {
  if (Array.isArray(node)) for (const one of node) walk(one, visit);
  else if (node && typeof node === 'object' && !(typeof node.type === 'string' && visit(node))) {
    for (const value of Object.values(node)) if (value && typeof value === 'object') walk(value, visit);
  }
}

const queried = (node) => {
  const inner = node?.type === 'TSParenthesizedType' ? node.typeAnnotation : node;
  return inner?.type === 'TSTypeQuery' ? inner.exprName.name : undefined;
};

/** The modules of the contract, and the values and names of what they declare. */
class Contract {
  constructor(modules, values) {
    this.modules = modules;
    this.values = values;
    /** Number of modules that declare a type, by its name. */
    this.uses = new Map();
    for (const { types } of modules)
      for (const name of types.keys()) this.uses.set(name, (this.uses.get(name) ?? 0) + 1);
  }

  constantOf({ file, imports }, name) {
    const from = imports.get(name);
    return from ? this.constantOf(this.#moduleOf(from.file), from.name) : this.values.get(file)[name];
  }

  nameOf({ file, types, imports }, name) {
    const from = imports.get(name);
    if (from) return this.#moduleOf(from.file) && this.nameOf(this.#moduleOf(from.file), from.name);
    const type = types.get(name);
    if (!type) return undefined;
    if (!type.isExported) return `${capitalized(file)}_${name}`;
    return this.uses.get(name) === 1 ? name : `${capitalized(file)}${name}`;
  }

  #moduleOf(file) {
    return this.modules.find((one) => one.file === file);
  }
}

/** Returns the names of schemas that are exported together with a type that equals the schema. */
function namesOf(contract) {
  const names = { ofId: new Map(), ofKey: new Map() };
  const shared = new Set();
  for (const module of contract.modules) {
    for (const [name, schema] of Object.entries(contract.values.get(module.file))) {
      const { node, isExported } = module.types.get(name) ?? {};
      if (!isExported || typeof schema !== 'object') continue;
      if (schema.$id !== undefined) names.ofId.set(schema.$id, contract.nameOf(module, name));
      if (
        schema.type !== 'object' ||
        !/^Static<typeof \w+>$/.test(module.text.slice(node.typeAnnotation.start, node.typeAnnotation.end))
      )
        continue;
      const key = keyOf(schema);
      if (names.ofKey.has(key)) shared.add(key);
      names.ofKey.set(key, contract.nameOf(module, name));
    }
  }
  for (const key of shared) names.ofKey.delete(key);
  return names;
}

/** Passes to `put` the schema or constant that a node of a type stands for. Returns whether it stands for one. */
function writeOut(contract, names, module, node, put) {
  if (node.type === 'TSTypeReference' && node.typeName.name === 'Static') {
    const schema = contract.constantOf(module, queried(node.typeArguments.params[0]));
    if (schema === undefined)
      throw new Error(
        `${module.file}: the schema in ${module.text.slice(node.start, node.end)} is no constant of the contract.`,
      );
    put(node, textOf(schema, names, true));
    return true;
  }
  if (node.type === 'TSIndexedAccessType' && node.indexType.type === 'TSNumberKeyword' && queried(node.objectType)) {
    put(node, constantText(contract.constantOf(module, queried(node.objectType)), true));
    return true;
  }
  if (node.type === 'TSTypeQuery') {
    put(node, constantText(contract.constantOf(module, queried(node)), false));
    return true;
  }
  return false;
}

/** Returns the declaration of a type in which schemas and constants are written out and types have their names. */
function declarationOf(contract, names, module, node) {
  const changes = [];
  const put = ({ start, end }, text) => changes.push({ start, end, text });
  walk(node, (inner) => {
    if (writeOut(contract, names, module, inner, put)) return true;
    if (inner.type === 'Identifier') {
      const known = contract.nameOf(module, inner.name);
      const isName = inner === node.id || inner.name !== known;
      if (known !== undefined && isName) put(inner, known);
    }
    return false;
  });
  let text = module.text.slice(node.start, node.end);
  for (const { start, end, text: put } of changes.sort((a, b) => b.start - a.start)) {
    text = `${text.slice(0, start - node.start)}${put}${text.slice(end - node.start)}`;
  }
  return text.replace(/;?$/, text.startsWith('interface') ? '' : ';');
}

/**
 * Returns every type of the contract as one declaration, with its name and module. A name that several modules export
 * is prefixed with the name of its module. A type that a module does not export is declared but not exported.
 */
export async function contractTypes(root) {
  const files = listModules(join(root, FOLDER));
  const modules = files.map((file) => readModule(file, readFileSync(join(root, FOLDER, file), 'utf8')));
  const contract = new Contract(modules, await valuesOf(root, files));
  const names = namesOf(contract);
  return modules.flatMap((module) =>
    [...module.types].map(([name, { node, isExported }]) => {
      const plain = declarationOf(contract, names, module, node);
      return {
        name: contract.nameOf(module, name),
        file: module.file,
        source: name,
        isExported,
        text: `${module.docs.get(name) ?? ''}${isExported ? 'export ' : ''}${plain}`,
      };
    }),
  );
}

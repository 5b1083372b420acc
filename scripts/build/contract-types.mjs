/** Generates the contract's types as declarations without imports. Types derived from a schema are written out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { parseSync } from 'rolldown/experimental';
import { constantText, keyOf, textOf } from './schema-text.mjs';

const FOLDER = 'daemon/contract';
const isModule = (file) => file.endsWith('.ts') && !file.endsWith('.test.ts');
const capitalized = (file) =>
  file.replace(/\.ts$/, '').replaceAll(/(^|-)(\w)/g, (_all, _dash, letter) => letter.toUpperCase());

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
      const from = statement.source.value.replace(/^\.\//, '').replace(/\.js$/, '.ts');
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

/**
 * Returns every type of the contract as one declaration, with its name and module. A name that several modules export
 * is prefixed with the name of its module. A type that a module does not export is declared but not exported.
 */
export async function contractTypes(root) {
  const files = readdirSync(join(root, FOLDER)).filter(isModule).sort();
  const modules = files.map((file) => readModule(file, readFileSync(join(root, FOLDER, file), 'utf8')));
  const values = await valuesOf(root, files);

  const uses = new Map();
  for (const { types } of modules) for (const name of types.keys()) uses.set(name, (uses.get(name) ?? 0) + 1);
  const moduleOf = (file) => modules.find((one) => one.file === file);
  const constantOf = ({ file, imports }, name) => {
    const from = imports.get(name);
    return from ? constantOf(moduleOf(from.file), from.name) : values.get(file)[name];
  };
  const nameOf = ({ file, types, imports }, name) => {
    const from = imports.get(name);
    if (from) return moduleOf(from.file) && nameOf(moduleOf(from.file), from.name);
    const type = types.get(name);
    if (!type) return undefined;
    if (!type.isExported) return `${capitalized(file)}_${name}`;
    return uses.get(name) === 1 ? name : `${capitalized(file)}${name}`;
  };

  // Names of schemas that are exported together with a type that equals the schema.
  const names = { ofId: new Map(), ofKey: new Map() };
  const shared = new Set();
  for (const module of modules) {
    for (const [name, schema] of Object.entries(values.get(module.file))) {
      const { node, isExported } = module.types.get(name) ?? {};
      if (!isExported || typeof schema !== 'object') continue;
      if (schema.$id !== undefined) names.ofId.set(schema.$id, nameOf(module, name));
      if (
        schema.type !== 'object' ||
        !/^Static<typeof \w+>$/.test(module.text.slice(node.typeAnnotation.start, node.typeAnnotation.end))
      )
        continue;
      const key = keyOf(schema);
      if (names.ofKey.has(key)) shared.add(key);
      names.ofKey.set(key, nameOf(module, name));
    }
  }
  for (const key of shared) names.ofKey.delete(key);

  return modules.flatMap((module) =>
    [...module.types].map(([name, { node, isExported }]) => {
      const changes = [];
      const put = ({ start, end }, text) => changes.push({ start, end, text });
      walk(node, (inner) => {
        if (inner.type === 'TSTypeReference' && inner.typeName.name === 'Static') {
          const schema = constantOf(module, queried(inner.typeArguments.params[0]));
          if (schema === undefined)
            throw new Error(
              `${module.file}: the schema in ${module.text.slice(inner.start, inner.end)} is no constant of the contract.`,
            );
          put(inner, textOf(schema, names, true));
          return true;
        }
        if (
          inner.type === 'TSIndexedAccessType' &&
          inner.indexType.type === 'TSNumberKeyword' &&
          queried(inner.objectType)
        ) {
          put(inner, constantText(constantOf(module, queried(inner.objectType)), true));
          return true;
        }
        if (inner.type === 'TSTypeQuery') {
          put(inner, constantText(constantOf(module, queried(inner)), false));
          return true;
        }
        if (inner.type === 'Identifier') {
          const known = nameOf(module, inner.name);
          const isName = inner === node.id || inner.name !== known;
          if (known !== undefined && isName) put(inner, known);
        }
        return false;
      });
      let text = module.text.slice(node.start, node.end);
      for (const { start, end, text: put } of changes.sort((a, b) => b.start - a.start)) {
        text = `${text.slice(0, start - node.start)}${put}${text.slice(end - node.start)}`;
      }
      const plain = text.replace(/;?$/, text.startsWith('interface') ? '' : ';');
      return {
        name: nameOf(module, name),
        file: module.file,
        source: name,
        isExported,
        text: `${module.docs.get(name) ?? ''}${isExported ? 'export ' : ''}${plain}`,
      };
    }),
  );
}

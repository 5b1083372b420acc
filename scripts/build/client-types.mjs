/**
 * Generates the types of `meshd/client` as one file without imports: the library's own declarations and those of the
 * contract.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isolatedDeclarationSync, parseSync } from 'rolldown/experimental';
import { contractTypes } from './contract-types.mjs';

const FOLDER = 'daemon/client';
const ENTRY = 'client.ts';

function throwFirst(file, errors) {
  if (errors.length > 0) throw new Error(`${FOLDER}/${file}: ${errors[0].message}`);
}

/** Returns the declarations of the library's modules by name, each with the identifiers that it contains. */
function libraryTypes(root) {
  const found = new Map();
  const files = readdirSync(join(root, FOLDER)).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== ENTRY,
  );
  for (const file of files) {
    const { code, errors } = isolatedDeclarationSync(file, readFileSync(join(root, FOLDER, file), 'utf8'), {});
    throwFirst(file, errors);
    const { program, comments } = parseSync(file.replace(/\.ts$/, '.d.ts'), code);
    for (const statement of program.body) {
      if (statement.type === 'ImportDeclaration') continue;
      const node = statement.declaration ?? statement;
      const name = node.id?.name ?? node.declarations?.[0]?.id?.name;
      if (name === undefined) continue;
      if (found.has(name)) throw new Error(`${FOLDER}/${file}: another file of the library has a ${name} as well.`);
      const doc = comments.findLast(
        ({ end }) => end <= statement.start && /^\s*$/.test(code.slice(end, statement.start)),
      );
      const text = code.slice(node.start, node.end);
      const declared = /^(interface|type|declare) /.test(text) ? text : `declare ${text}`;
      found.set(name, {
        text: `${doc ? `/*${doc.value.replaceAll('\n*', '\n *').replace(/\n$/, '\n ')}*/\n` : ''}${declared.replaceAll('\t', '  ')}`,
        words: new Set(text.match(/\b[A-Za-z_]\w*\b/g)),
      });
    }
  }
  return found;
}

/** Returns the names that the entry module exports. */
function exportedNames(root) {
  const { program, errors } = parseSync(ENTRY, readFileSync(join(root, FOLDER, ENTRY), 'utf8'));
  throwFirst(ENTRY, errors);
  return program.body.flatMap(({ specifiers = [] }) => specifiers.map(({ exported }) => exported.name));
}

/** Returns the text of `client.d.ts`. Throws when a name is ambiguous or an exported name is not declared. */
export async function clientTypes(root) {
  const library = libraryTypes(root);
  const contract = await contractTypes(root);
  for (const { name, file } of contract)
    if (library.has(name)) throw new Error(`The library has a ${name}, and so has ${file} of the contract.`);
  const names = exportedNames(root);
  const needed = new Set();
  const need = (name) => {
    if (needed.has(name) || !library.has(name)) return;
    needed.add(name);
    for (const word of library.get(name).words) need(word);
  };
  for (const name of names) {
    if (!library.has(name))
      throw new Error(`${FOLDER}/${ENTRY} exports ${name}, which no file of the library declares.`);
    need(name);
  }
  const own = [...library].filter(([name]) => needed.has(name)).map(([, { text }]) => text);
  return `${[...own, ...contract.map(({ text }) => text), `export { ${names.join(', ')} };`].join('\n\n')}\n`;
}

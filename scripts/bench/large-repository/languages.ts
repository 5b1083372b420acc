/** A function of a generated file. */
export interface Written {
  name: string;
  /** One sentence for its comment. */
  says: string;
  /** The name of a function that it calls, and the path of the file that defines it. */
  calls?: { name: string; path: string };
}

/** How files of one language are written. */
export interface LanguageWriter {
  name: string;
  ending: string;
  /** The start of a file: what it takes from the files whose functions it calls. */
  head(path: string, calls: readonly { name: string; path: string }[]): string;
  func(written: Written): string;
  constant(name: string, value: number): string;
}

const withoutEnding = (path: string) => path.replace(/\.[a-z]+$/, '');
const call = ({ calls }: Written) => (calls ? `${calls.name}(value)` : 'value');

/** Returns `path` as an import of the file `from` names it. Every file is in a folder of the same depth. */
const relative = (from: string, path: string) => `${'../'.repeat(from.split('/').length - 1)}${withoutEnding(path)}`;

/** The languages of a generated repository. Imports are written only where a file names the other one. */
export const LANGUAGES: readonly LanguageWriter[] = [
  {
    name: 'TypeScript',
    ending: 'ts',
    head: (path, calls) =>
      calls.map((one) => `import { ${one.name} } from '${relative(path, one.path)}.js';\n`).join(''),
    func: (one) =>
      `/** ${one.says} */\nexport function ${one.name}(value: number): number {\n  const level = value + 1;\n` +
      `  return ${call(one)} + level;\n}\n`,
    constant: (name, value) => `export const ${name} = ${value};\n`,
  },
  {
    name: 'Python',
    ending: 'py',
    head: (_, calls) =>
      calls.map((one) => `from ${withoutEnding(one.path).replaceAll('/', '.')} import ${one.name}\n`).join(''),
    func: (one) =>
      `def ${one.name}(value):\n    """${one.says}"""\n    level = value + 1\n    return ${call(one)} + level\n`,
    constant: (name, value) => `${name} = ${value}\n`,
  },
  {
    name: 'Go',
    ending: 'go',
    head: (path) => `package ${path.split('/').at(-2)}\n`,
    func: (one) =>
      `// ${one.name} says: ${one.says}\nfunc ${one.name}(value int) int {\n\tlevel := value + 1\n` +
      `\treturn ${call(one)} + level\n}\n`,
    constant: (name, value) => `const ${name} = ${value}\n`,
  },
  {
    name: 'Rust',
    ending: 'rs',
    head: () => '',
    func: (one) =>
      `/// ${one.says}\npub fn ${one.name}(value: i64) -> i64 {\n    let level = value + 1;\n` +
      `    ${call(one)} + level\n}\n`,
    constant: (name, value) => `pub const ${name}: i64 = ${value};\n`,
  },
  {
    name: 'C',
    ending: 'c',
    head: () => '#include <stdio.h>\n',
    func: (one) =>
      `/* ${one.says} */\nint ${one.name}(int value)\n{\n    int level = value + 1;\n    return ${call(one)} + level;\n}\n`,
    constant: (name, value) => `#define ${name} ${value}\n`,
  },
];

/** Languages in which a file says by its imports which function of another one it calls. */
export const IMPORTING: readonly string[] = ['TypeScript', 'Python'];

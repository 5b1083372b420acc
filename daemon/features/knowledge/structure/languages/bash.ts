import { pattern } from '../../../../lib/text/pattern.js';
import type { Extraction, LanguageRules } from '../extraction.js';
import { stringValue, UNKNOWN } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';

/** Variables of the shell itself. */
const OWN = pattern`
    ^(?:\d+|[@*#?$!_-]|PWD|OLDPWD|IFS|RANDOM|LINENO|SECONDS|BASH\w*|PIPESTATUS|FUNCNAME|OPTARG|OPTIND|REPLY
      |HOSTNAME|EUID|UID|PPID|SHLVL)$
  `;

function assignment(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const value = node.get('value');
  if (!name) return undefined;
  assigned(x).add(name.text);
  if (x.isInFunction || node.parent?.type === 'command') return undefined;
  const declaration = node.parent?.type === 'declaration_command' ? node.parent.head(12) : '';
  if (value && ![value, ...value.children].some(({ type }) => /substitution/.test(type)))
    x.constant(name.text, value.head(400), node.line);
  x.define({ node, name: name.text, kind: 'variable', isExported: declaration.startsWith('export') });
  return undefined;
}

const known = new WeakMap<Extraction, Set<string>>();
function assigned(x: Extraction): Set<string> {
  const names = known.get(x) ?? new Set<string>();
  known.set(x, names);
  return names;
}

/** `${X:-y}` reads the environment where the script has not given X a value before. */
function expansion(node: SyntaxNode, x: Extraction) {
  const name = node.of('variable_name')?.text ?? '';
  const isUnsetDefault = node.type === 'expansion' && /^\$\{\w+:?[-=?+]/.test(node.head(120));
  if (isUnsetDefault && !OWN.test(name) && !assigned(x).has(name) && !/^[a-z]/.test(name)) {
    const value = node.children.at(-1);
    x.readsEnvironment(name, node.line, value?.type === 'variable_name' ? undefined : value?.head(200));
  }
  if (!assigned(x).has(name)) return undefined;
  x.refer('read', name, node.line);
  return undefined;
}

function exported(node: SyntaxNode, x: Extraction) {
  if (!/^export\b/.test(node.head(8))) return undefined;
  for (const one of node.allOf('variable_name')) if (!assigned(x).has(one.text)) x.readsEnvironment(one.text, one.line);
  return undefined;
}

/** A longer argument of `source` is no path. */
const PATH_MAX_CHARS = 400;

function command(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const word = name?.children[0];
  if (!name || word?.type !== 'word') return undefined;
  const argument = node.get('argument');
  if ((word.text === '.' || word.text === 'source') && argument) {
    const path =
      argument.type === 'word'
        ? argument.text
        : (stringValue(argument) ?? /[^"'`$(){}]+\.(?:ba|z)?sh/.exec(argument.head(PATH_MAX_CHARS))?.[0]);
    if (path) x.import(/^[./]/.test(path) ? `./${path.replace(/^\.?\//, '')}` : `./${path}`, node.line, [['*', '*']]);
    return undefined;
  }
  if (word.text === 'alias') return undefined;
  x.call(word);
  return undefined;
}

export const BASH: LanguageRules = {
  names: new Set(),
  typeNames: new Set(),
  scopes: new Set(),
  receiver: () => UNKNOWN,
  enter: {
    program: (node, x) => {
      if (/^#!/.test(node.head(2))) x.entry('script', 'script', 1);
      return undefined;
    },
    function_definition: (node, x) => x.define({ node, name: node.get('name'), kind: 'function', isExported: true }),
    variable_assignment: assignment,
    declaration_command: exported,
    expansion,
    simple_expansion: expansion,
    command,
  },
};

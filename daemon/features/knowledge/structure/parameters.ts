import type { ParameterRow } from '../../../storage/database/structure-schema.js';
import type { SyntaxNode } from './syntax-node.js';

const PARAMETERS_MAX = 40;
const VALUE_MAX = 120;
const NAMES = new Set(['identifier', 'shorthand_property_identifier_pattern', 'name', 'field_identifier']);

interface ReadParameter {
  row: ParameterRow;
  /** The nodes of the names that the parameter declares. */
  names: SyntaxNode[];
}

/** Reads the parameters below `list`, of any language. */
export function readParameters(list: SyntaxNode): ReadParameter[] {
  if (list.type === 'identifier') return [{ row: { name: list.text }, names: [list] }];
  return list.children
    .filter(({ type }) => !/comment|self_parameter|separator|attribute/.test(type))
    .slice(0, PARAMETERS_MAX)
    .flatMap(readParameter);
}

function readParameter(node: SyntaxNode): ReadParameter[] {
  if (NAMES.has(node.type)) return [{ row: { name: node.text }, names: [node] }];
  const type = node.get('type');
  const value = node.get('value', 'default_value', 'right') ?? unnamedDefault(node);
  const many = node.allOf('identifier').filter(({ field }) => field === 'name');
  const extra = {
    ...(type ? { type: clean(type.head(VALUE_MAX).replace(/^:\s*/, '')) } : {}),
    ...(value ? { value: clean(value.head(VALUE_MAX * 2)) } : {}),
  };
  if (many.length > 1) return many.map((name) => ({ row: { name: name.text, ...extra }, names: [name] }));
  const target = node.get('pattern', 'name', 'left', 'declarator') ?? many[0] ?? spread(node);
  if (!target) return [];
  const names = namesIn(target);
  const isPlain = names.length === 1 && !/object|array|tuple|struct/.test(target.type);
  // The mark before a variable of PHP is no part of the name that is shown.
  const text = names[0]?.type === 'variable_name' ? names[0].text.slice(1) : (names[0]?.text ?? '');
  return [{ row: { name: isPlain ? text : clean(target.head(60)), ...extra }, names }];
}

/** C# writes the default after the name, in no place of its own. */
function unnamedDefault(node: SyntaxNode): SyntaxNode | undefined {
  const last = node.children.at(-1);
  return node.type === 'parameter' && last?.previous?.field === 'name' && last.field === null ? last : undefined;
}

const spread = (node: SyntaxNode) =>
  node.of('identifier', 'variable_declarator', 'list_splat_pattern', 'dictionary_splat_pattern', 'variable_name');

function namesIn(target: SyntaxNode): SyntaxNode[] {
  if (target.type === 'variable_name' || (NAMES.has(target.type) && target.children.length === 0)) return [target];
  const names: SyntaxNode[] = [];
  for (const node of target.below()) {
    const isValue = node.field === 'right' || node.field === 'value' ? node.parent?.type !== 'pair_pattern' : false;
    if (NAMES.has(node.type) && !isValue && node.field !== 'type' && node.field !== 'key') names.push(node);
    if (names.length >= PARAMETERS_MAX) break;
  }
  return names;
}

const clean = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, VALUE_MAX);

/** Types that stand for the one in their brackets. */
const WRAPPERS = new Set(
  (
    'Optional Option Arc Box Rc Ref RefMut Cell RefCell Mutex RwLock unique_ptr shared_ptr weak_ptr Readonly ' +
    'Partial Required Pick Omit NonNullable Final ClassVar Annotated Type Promise Awaited'
  ).split(' '),
);

/** Returns the name of the class that a written type is about; empty for arrays, functions and other compounds. */
export function simpleType(written: string | undefined): string {
  let text = (written ?? '').slice(0, 200).trim();
  for (let step = 0; step < 4; step += 1) {
    text = text.replace(
      /^(?:[:&*?\s"]|'\w+\s|'|(?:const|mut|readonly|dyn|impl|struct|enum|class|final|volatile|static|typename)\s)+/,
      '',
    );
    const found = /^([A-Za-z_$][\w$]*(?:(?:\.|::|\\)[A-Za-z_$][\w$]*)*)\s*([<[])?/.exec(text);
    if (!found) return '';
    const name = (found[1] as string).split(/\.|::|\\/).at(-1) as string;
    const open = found[2];
    if (open === undefined) return /^\s*\[/.test(text.slice(found[0].length)) ? '' : name;
    if (/\[\s*\]/.test(text.slice(found[0].length - 1, found[0].length + 2))) return '';
    if (!WRAPPERS.has(name)) return name;
    text = text.slice(found[0].length);
  }
  return '';
}

import { isObject } from '../../lib/is-object.js';
import { findSecret } from '../../lib/secrets/secrets.js';
import type { Data } from './foreign-agent.js';

/** A secret found in a file: its path of keys, and the variable that replaces it. */
interface Replaced {
  path: readonly string[];
  variable: string;
}

/** Keys of prose. A secret in prose rejects the import instead of being cut out of a sentence. */
const PROSE = new Set(['name', 'description', 'prompt', 'developer_instructions', 'initialPrompt', 'display_name']);
const SECRET_WORDS = new Set(
  'key token secret password passwd pwd pass credential credentials authorization cookie pat apikey bearer'.split(' '),
);
const SECRET_FLAG = /^--?[\w-]*(?:key|token|secret|password|passwd)$/i;
const SECRET_IN_TEXT =
  /(?<=:\/\/[^\s/:@]{1,80}:)[^\s/@]+(?=@)|(?<=[?&](?:api_?key|key|token|access_token|secret|password)=)[^&\s$]+|(?<=^--?[\w-]{0,80}(?:key|token|secret|password)=)[^\s$].*$/gi;

/**
 * Returns `data` with each inline secret replaced by `${NAME}`: values of variables and headers with the name of a
 * secret, tokens of known formats, and passwords in URLs and arguments. References to a secret (`${NAME}`,
 * `{env:NAME}`) are preserved.
 */
export function withoutSecrets(data: Data): { data: Data; replaced: Replaced[] } {
  const replaced: Replaced[] = [];
  const walk = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value === 'string') return withoutSecret(value, path, replaced);
    if (Array.isArray(value)) {
      return value.map((item, index) => {
        const flag = value[index - 1];
        const isAfterFlag =
          typeof flag === 'string' && SECRET_FLAG.test(flag) && typeof item === 'string' && !item.startsWith('-');
        return walk(item, [...path, isAfterFlag ? flag : String(index)]);
      });
    }
    if (!isObject(value)) return value;
    const entries = Object.entries(value);
    const walked = entries.map(([key, item]) => [key, walk(item, [...path, key])] as const);
    return walked.every(([, item], index) => item === entries[index]?.[1]) ? value : Object.fromEntries(walked);
  };
  const walked = Object.entries(data).map(
    ([key, value]) => [key, PROSE.has(key) ? value : walk(value, [key])] as const,
  );
  return { data: replaced.length === 0 ? data : Object.fromEntries(walked), replaced };
}

function withoutSecret(text: string, path: readonly string[], replaced: Replaced[]): string {
  const replacement = (hint: string) => {
    const variable = getVariable(hint, path);
    replaced.push({ path, variable });
    return `\${${variable}}`;
  };
  const name = path.at(-1) ?? '';
  if (isReference(text)) return text;
  const inside = text.replace(SECRET_IN_TEXT, () => replacement(name));
  if (inside !== text) return inside;
  const isVariable = path.at(-2) === 'env' || path.at(-2) === 'environment';
  if (!isSecret(name, text, isVariable)) return text;
  const scheme = /^(?:Bearer|Basic|token) /i.exec(text)?.[0] ?? '';
  return `${scheme}${replacement(isVariable ? '' : name)}`;
}

function isSecret(name: string, text: string, isVariable: boolean): boolean {
  if (findSecret(text)) return true;
  const words = name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).filter(Boolean);
  const isNamedSecret = SECRET_WORDS.has((words.at(-1) ?? '').toLowerCase());
  if (isVariable) return isNamedSecret ? text !== '' : /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_+=-]{24,}$/.test(text);
  // Neither the name of a variable nor a plain word is a secret.
  return isNamedSecret && text.length >= 8 && !/^[A-Z][A-Z0-9_]*$/.test(text) && !/^[a-z]+(?:[_-][a-z]+)*$/.test(text);
}

/** Whether a text only refers to the source of the value. */
const isReference = (text: string) =>
  text.trim() === '' || /^(?:\w+ )?(?:\$\{[^}]*\}+|\$\w+|\{(?:env|file):[^}]*\}|%\w+%|<[^>]*>)$/.test(text.trim());

/** Returns a variable name: the key in an `env` map, else one built from the server and the key. */
function getVariable(hint: string, path: readonly string[]): string {
  const parts =
    hint === '' ? path.slice(-1) : path.length > 1 ? path.slice(1).filter((part) => part !== 'headers') : path;
  const name = parts
    .join('_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toUpperCase();
  return /^[A-Z_]/.test(name) ? name : `SECRET_${name}`;
}

/** Replaces each line of `text` that contains a secret. For display only, never for writing a file. */
export const withoutSecretLines = (text: string) =>
  text.replace(/^.*$/gm, (line) => (findSecret(line) ? '[a line with a secret]' : line));

import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContentBlock, EmbeddedResource, ResourceLink } from '@agentclientprotocol/sdk';
import type { ContextDoc } from '../../contract/asks.js';
import type { NewMessage } from '../../contract/conversations.js';
import { isSecretPath } from '../../lib/secrets/secret-names.js';
import { invalidParams } from './acp-errors.js';

/** The daemon's limits of a message: documents, and characters of one. */
const DOCS_MAX = 16;
const DOC_MAX_CHARS = 65_536;
const NAME_MAX_CHARS = 255;
/** The most bytes that a text within the limit can have. */
const DOC_MAX_BYTES = 4 * DOC_MAX_CHARS;

interface PromptPorts {
  /** The real path of the project. */
  root: string;
  /** Reports why a linked file is not attached. */
  note(line: string): void;
}

/** The path of a `file:` address without its fragment; undefined for any other address. */
function toPath(uri: string): string | undefined {
  if (!/^file:/i.test(uri)) return undefined;
  try {
    const url = new URL(uri);
    return fileURLToPath(new URL(url.pathname, 'file:///'));
  } catch {
    return undefined;
  }
}

/** The path relative to `root`, with `/`; undefined when it is outside. */
function getInside(root: string, path: string): string | undefined {
  const inside = relative(root, path);
  const isOutside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || inside.startsWith(sep);
  return isOutside ? undefined : inside.split(sep).join('/');
}

const isOwnFolder = (inside: string) => /^(?:\.git|\.mesh\/(?:state|credentials|foreign-[^/]*))(?:\/|$)/.test(inside);

/** Why a file is not attached, or its text. Links are followed: what counts is where they lead. */
function readLinked(root: string, path: string): { inside: string; text: string } | { why: string } {
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    return { why: 'it does not exist' };
  }
  const inside = getInside(root, real);
  if (inside === undefined) return { why: 'it is outside the project' };
  if (isSecretPath(inside) || isOwnFolder(inside)) return { why: 'its name is that of a secret' };
  const found = statSync(real);
  if (!found.isFile()) return { why: 'it is not a file' };
  if (found.size > DOC_MAX_BYTES) return { why: 'it is too long' };
  const text = readFileSync(real, 'utf8');
  if (text.length > DOC_MAX_CHARS) return { why: 'it is too long' };
  return text.includes('\0') ? { why: 'it is not a text' } : { inside, text };
}

/** Converts the blocks of a prompt to one message of a conversation. */
class PromptReader {
  private text = '';
  /** Whether anything was typed: the name of a file is no question. */
  private hasWords = false;
  private readonly docs: ContextDoc[] = [];

  constructor(private readonly ports: PromptPorts) {}

  add(block: ContentBlock): void {
    switch (block.type) {
      case 'text':
        this.text += block.text;
        this.hasWords ||= block.text.trim() !== '';
        break;
      case 'resource_link':
        this.addLink(block);
        break;
      case 'resource':
        this.addResource(block);
        break;
      default:
        throw invalidParams(`A member takes text and files, and this prompt holds ${block.type}: leave it out.`);
    }
  }

  get message(): NewMessage {
    if (!this.hasWords) throw invalidParams('The prompt holds no text: type a question beside the files.');
    return { text: this.text, ...(this.docs.length > 0 && { context_docs: this.docs }) };
  }

  private addLink({ name, uri }: ResourceLink): void {
    const path = toPath(uri);
    if (path === undefined) {
      this.text += `[${name}](${uri})`;
      return;
    }
    const read = readLinked(this.ports.root, path);
    this.text += 'inside' in read ? `@${read.inside}` : `@${path}`;
    if ('why' in read) this.ports.note(`${path} is named and not attached: ${read.why}.`);
    else this.attach(read.inside, read.text);
  }

  private addResource({ resource }: EmbeddedResource): void {
    if (!('text' in resource))
      throw invalidParams(`${resource.uri} is attached as bytes, and a member takes text: attach it as text.`);
    const path = toPath(resource.uri);
    const name = (path && getInside(this.ports.root, path)) ?? basename(path ?? resource.uri);
    if (resource.text.length > DOC_MAX_CHARS)
      throw invalidParams(`${name} is longer than ${DOC_MAX_CHARS} characters: attach a part of it.`, 'too_large');
    this.text += `@${name}`;
    this.attach(name, resource.text);
  }

  private attach(name: string, content: string): void {
    const filename = name.slice(-NAME_MAX_CHARS) || 'document';
    if (this.docs.some((doc) => doc.filename === filename && doc.content === content)) return;
    if (this.docs.length === DOCS_MAX)
      throw invalidParams(`The prompt holds more than ${DOCS_MAX} files: attach fewer.`, 'too_large');
    this.docs.push({ filename, content });
  }
}

/**
 * Converts a prompt to a message: embedded resources and linked files of the project become context documents. Linked
 * files that are secret, too long or outside the project are only named. Throws -32602 for images, audio, bytes, too
 * many or too long documents, and a prompt without text.
 */
export function readPrompt(blocks: readonly ContentBlock[], ports: PromptPorts): NewMessage {
  const reader = new PromptReader(ports);
  for (const block of blocks) reader.add(block);
  return reader.message;
}

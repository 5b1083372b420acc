import type { SyntaxNode } from './syntax-node.js';

const SENTENCE_MAX = 200;
const COMMENT = /comment/;
const LINES_MAX = 30;

/** Returns the first sentence of the comment right before `node`; empty when there is none. */
export function readDocComment(node: SyntaxNode): string {
  const parts: string[] = [];
  let line = node.line;
  // In Python and Ruby a comment that is first in a body stands before the body; one on the line of the heading is not.
  const isFirst = node.previous === undefined && /^(?:block|body_statement)$/.test(node.parent?.type ?? '');
  const heading = isFirst ? (node.parent?.parent?.line ?? 0) : 0;
  let before = isFirst ? node.parent?.previous : node.previous;
  // Attributes and annotations may stand between a comment and what it is about.
  while (before && /^attribute|^decorator|annotation/.test(before.type)) {
    line = before.line;
    before = before.previous;
  }
  for (
    ;
    before && COMMENT.test(before.type) && before.endLine >= line - 1 && before.line > heading;
    before = before.previous
  ) {
    parts.unshift(before.head(4_000));
    line = before.line;
    if (parts.length >= LINES_MAX || before.type === 'block_comment' || parts[0]?.startsWith('/*')) break;
  }
  return firstSentence(parts.join('\n'));
}

/** Returns the first sentence of a string that is the first statement of a body, as Python has it. */
export function docString(body: SyntaxNode | undefined): string {
  const first = body?.children[0];
  const text = first?.type === 'expression_statement' ? first.of('string') : undefined;
  return text ? firstSentence(text.head(4_000).replace(/^[A-Za-z]{0,2}(?:"""|'''|"|')|(?:"""|'''|"|')$/g, '')) : '';
}

function firstSentence(comment: string): string {
  // The mark of a script that names its interpreter says nothing of what follows.
  const written = comment.split('\n').filter((line) => !line.startsWith('#!'));
  const lines = written.map((line) =>
    line
      .replace(/^\s*(?:\/\*+!?|\/\/+!?|\*+\/|\*|#+|--|;+)\s?/, '')
      .replace(/\*\/\s*$/, '')
      .replace(/<\/?[a-z][^<>]{0,80}>/gi, '')
      .trim(),
  );
  const text = lines
    .filter((line) => !/^@\w/.test(line) && !/^[-=*_~]{3,}$/.test(line))
    .join('\n')
    .trim();
  const paragraph =
    text
      .split(/\n\s*\n/)[0]
      ?.replace(/\s+/g, ' ')
      .trim() ?? '';
  const end = /[.!?](?=\s|$)/.exec(paragraph);
  return (end ? paragraph.slice(0, end.index + 1) : paragraph).slice(0, SENTENCE_MAX);
}

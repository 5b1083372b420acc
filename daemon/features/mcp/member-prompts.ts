import { MeshError } from '../../lib/errors.js';
import type { MemberVersion } from '../team/member-file.js';
import { askToolName } from './ask-tool.js';
import type { GetPromptResult } from './mcp-surface.js';

const TITLE_CHARS = 120;

/** The name of the prompt that takes an arbitrary question. */
export const questionPrompt = (member: string) => `ask_${member}`;
const examplePrompt = (member: string, index: number) => `${member}_example_${index + 1}`;

/** One prompt to ask the member any question, and one for each of its examples. */
export function listPrompts({ id, name, examples = [] }: MemberVersion) {
  return {
    prompts: [
      {
        name: questionPrompt(id),
        title: `Ask ${name}`,
        description: `Puts a question of yours to ${name}.`,
        arguments: [{ name: 'question', description: 'The question, in plain words.', required: true }],
      },
      ...examples.map((example, index) => ({
        name: examplePrompt(id, index),
        title: [...example].slice(0, TITLE_CHARS).join(''),
        description: `An example of what ${name} can be asked.`,
      })),
    ],
  };
}

/** Throws `bad_request` for a prompt that is not listed, and when a required question is missing. */
export function getPrompt(
  { id, name, examples = [] }: MemberVersion,
  prompt: string,
  { question }: Readonly<Record<string, string>>,
): GetPromptResult {
  if (prompt === questionPrompt(id)) {
    if (question === undefined || question.trim() === '') {
      throw new MeshError('bad_request', '"question" is required: what you want to know.', {
        details: { path: 'question' },
      });
    }
    return asking(id, name, question);
  }
  const example = examples.find((_, index) => examplePrompt(id, index) === prompt);
  if (example === undefined) {
    throw new MeshError('bad_request', 'There is no such prompt: prompts/list names those there are.', {
      details: { path: 'name' },
    });
  }
  return asking(id, name, example);
}

function asking(id: string, name: string, question: string): GetPromptResult {
  const text =
    `Ask ${name} with the tool ${askToolName(id)} and report its answer with the sources that it ` +
    `cites:\n\n${question}`;
  return { description: `Ask ${name}`, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

import { MeshError } from '../../../lib/errors.js';
import type { Decide, Turn } from '../client.js';
import { commandDetail, editDetail, type RunPlace } from '../permission-detail.js';
import { plainPath } from './reading-tools.js';
import { type ApiTool, fitting, OUTPUT_MAX_BYTES } from './tool.js';

export interface EditableProject {
  replace(path: string, old: string, text: string): Promise<{ line: number }>;
}

/**
 * Runs a command line in the project until it ends or the signal fires. Settles once none of its processes is running.
 */
export type RunCommand = (command: string, signal: AbortSignal) => Promise<{ exit: number | null; output: string }>;

const PATH_MAX_CHARS = 1_024;
const TEXT_MAX_CHARS = 512 * 1024;
const COMMAND_MAX_CHARS = 4_096;

/**
 * Returns the tools of `turn` that change something: those that the member has, and only on the operator's own turns.
 * Every call needs a permission from `decide`. Without `runCommand` there is no `execute` tool. `place` is where, and with
 * which environment, it runs commands.
 */
export function changingTools(
  turn: Turn,
  decide: Decide,
  project: EditableProject,
  runCommand: RunCommand | undefined,
  place: RunPlace,
): ApiTool[] {
  if (turn.profile !== 'operator') return [];
  const { tools } = turn.member;
  return [
    ...(tools.includes('edit') ? [editTool(decide, project, place)] : []),
    ...(tools.includes('execute') && runCommand ? [executeTool(decide, runCommand, place)] : []),
  ];
}

function editTool(decide: Decide, project: EditableProject, place: RunPlace): ApiTool {
  return {
    name: 'edit',
    description:
      'Replaces a text that stands exactly once in a file of the project; with an empty old_text it makes a ' +
      'new file. The operator is asked first.',
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        old_text: { type: 'string', description: 'Exactly as it stands in the file, without line numbers.' },
        new_text: { type: 'string' },
        reason: { type: 'string', description: 'One sentence for the operator.' },
      },
      required: ['path', 'old_text', 'new_text'],
      additionalProperties: false,
    },
    target: (input) => input.shown('path'),
    async run(input, signal) {
      const path = plainPath(input.text('path', PATH_MAX_CHARS));
      const old = input.optionalText('old_text', TEXT_MAX_CHARS) ?? '';
      const text = input.optionalText('new_text', TEXT_MAX_CHARS) ?? '';
      if (old === text) throw new MeshError('bad_request', '`old_text` and `new_text` are the same.');
      const detail = editDetail([{ path, old: old === '' ? null : old, text }], place);
      await allowed(decide, { tool: 'edit', target: path, reason: input.shown('reason'), detail }, signal);
      const { line } = await project.replace(path, old, text);
      return `Written: ${path}, from line ${line}.`;
    },
  };
}

function executeTool(decide: Decide, runCommand: RunCommand, place: RunPlace): ApiTool {
  return {
    name: 'execute',
    description:
      'Runs a command line in the project folder and gives its exit code and output. The operator is asked first.',
    schema: {
      type: 'object',
      properties: {
        command: { type: 'string' },
        reason: { type: 'string', description: 'One sentence for the operator.' },
      },
      required: ['command'],
      additionalProperties: false,
    },
    target: (input) => input.shown('command'),
    async run(input, signal) {
      const command = input.text('command', COMMAND_MAX_CHARS);
      // The operator decides about the whole command, not a shortened one.
      const detail = commandDetail(command, place);
      await allowed(decide, { tool: 'execute', target: command, reason: input.shown('reason'), detail }, signal);
      const { exit, output } = await runCommand(command, signal);
      return `exit ${exit ?? 'by a signal'}\n${ending(output)}`;
    },
  };
}

/**
 * Throws `forbidden` unless the operator allows it, or the signal's reason when it fires while the request is pending.
 */
export async function allowed(decide: Decide, question: Parameters<Decide>[0], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const decision = await new Promise<Awaited<ReturnType<Decide>>>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    decide(question)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
  if (decision === 'deny')
    throw new MeshError('forbidden', 'The operator did not allow this: do without it, and say so in your answer.');
}

/** Returns the end of a long output, where commands usually report their result. */
function ending(output: string): string {
  const lines = output.split('\n');
  const { text, count } = fitting(
    lines.toReversed().map((line) => line.slice(0, 2_000)),
    OUTPUT_MAX_BYTES - 512,
  );
  return `${count < lines.length ? `[${lines.length - count} earlier lines left out]\n` : ''}${text.split('\n').toReversed().join('\n')}`;
}

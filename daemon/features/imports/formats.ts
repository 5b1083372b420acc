import type { AgentFormat } from '../../contract/imports.js';
import { codexNicknameRule } from './codex-nickname.js';
import type { Data } from './foreign-agent.js';
import {
  colorRule,
  descriptionRule,
  effortRule,
  type KeyRule,
  modelRule,
  nameRule,
  numberRule,
  readOnlyRule,
  toolsRule,
} from './key-rules.js';
import { opencodeEffortRule, opencodeToolsRule } from './opencode-rules.js';
import { geminiToolName } from './tool-words.js';

const TURNS_MAX = 10_000;
const MINUTES_MAX = 1_440;

/** The agent file format of one tool: its keys, and their mapping to the keys of a member. */
export interface Format {
  format: AgentFormat;
  /** The display name of the tool. */
  tool: string;
  rules: readonly KeyRule[];
  /** The key that names the agent; the file name is used when it is absent. Undefined: always the file name. */
  idKey: string | undefined;
  needsDescription: boolean;
  /** Whether a file without frontmatter is an agent, with its whole text as the prompt. */
  isBodyEnough: boolean;
  /** Maximum length of a prompt. The tool cuts or rejects a longer one. */
  bodyMaxChars?: number;
  /** The first keys of a new file, in order. */
  order: readonly string[];
  /** Returns the reason why the described agent cannot be a member, or undefined. */
  refuses?(data: Data): string | undefined;
}

const CLAUDE_MODEL = /^(?:sonnet|opus|haiku|opusplan|claude-[\w.-]+|(?=[a-z.-]*anthropic)[\w.:/-]+)(?:\[1m\])?$/;

/** opencode does not start with another colour. */
const OPENCODE_COLOR = /^(?:#[0-9a-fA-F]{6}|primary|secondary|accent|success|warning|error|info)$/;
/** The names of Claude Code. */
const HEX_OF_NAME: Readonly<Record<string, string>> = {
  red: '#ef4444',
  blue: '#3b82f6',
  green: '#22c55e',
  yellow: '#eab308',
  purple: '#a855f7',
  orange: '#f97316',
  pink: '#ec4899',
  cyan: '#06b6d4',
};

export const FORMATS: Readonly<Record<AgentFormat, Format>> = {
  claude: {
    format: 'claude',
    tool: 'Claude Code',
    idKey: 'name',
    needsDescription: true,
    isBodyEnough: false,
    order: ['name', 'description', 'tools', 'disallowedTools', 'model'],
    rules: [
      descriptionRule(),
      modelRule((model) => CLAUDE_MODEL.test(model), ['inherit']),
      effortRule('effort', {}, { minimal: 'low' }),
      colorRule(),
      toolsRule(
        'text',
        {
          read: ['Read'],
          search: ['Grep', 'Glob'],
          edit: ['Edit', 'Write'],
          execute: ['Bash'],
          web: ['WebFetch', 'WebSearch'],
          agent: ['Agent'],
          todo: ['TodoWrite'],
          ask: ['AskUserQuestion'],
        },
        { without: 'disallowedTools', everything: ['*'] },
      ),
      numberRule('limits.turns', ['maxTurns'], TURNS_MAX),
    ],
  },
  copilot: {
    format: 'copilot',
    tool: 'Copilot',
    idKey: undefined,
    needsDescription: true,
    isBodyEnough: false,
    bodyMaxChars: 30_000,
    order: ['name', 'description', 'target', 'tools', 'model'],
    rules: [
      nameRule('name'),
      descriptionRule(),
      modelRule((model) => model !== 'strongest'),
      toolsRule(
        'list',
        {
          read: ['read'],
          search: ['search'],
          edit: ['edit'],
          execute: ['execute'],
          web: ['web'],
          agent: ['agent'],
          todo: ['todo'],
          ask: [],
        },
        { everything: ['*'] },
      ),
    ],
  },
  opencode: {
    format: 'opencode',
    tool: 'opencode',
    idKey: undefined,
    needsDescription: false,
    isBodyEnough: true,
    order: ['description', 'mode', 'model'],
    rules: [
      descriptionRule(),
      modelRule((model) => /^[\w.-]+\/\S+$/.test(model)),
      opencodeEffortRule,
      opencodeToolsRule,
      numberRule('limits.turns', ['steps', 'maxSteps'], TURNS_MAX),
      colorRule((color) => OPENCODE_COLOR.test(color), HEX_OF_NAME),
    ],
  },
  gemini: {
    format: 'gemini',
    tool: 'Gemini CLI',
    idKey: 'name',
    needsDescription: true,
    isBodyEnough: false,
    order: ['name', 'display_name', 'description', 'kind', 'tools', 'model'],
    refuses: ({ kind, agent_card_url, agent_card_json }) =>
      kind === 'remote' || agent_card_url !== undefined || agent_card_json !== undefined
        ? 'It is a remote agent: keep it as a contact of the directory instead, it has no prompt of its own.'
        : undefined,
    rules: [
      nameRule('display_name'),
      descriptionRule(),
      modelRule((model) => /^(?:gemini|gemma|auto)\b/.test(model), ['inherit']),
      toolsRule(
        'list',
        {
          read: ['read_file', 'read_many_files', 'list_directory'],
          search: ['glob', 'grep_search'],
          edit: ['replace', 'write_file'],
          execute: ['run_shell_command'],
          web: ['web_fetch', 'google_web_search'],
          agent: ['invoke_agent'],
          todo: ['write_todos'],
          ask: ['ask_user'],
        },
        { everything: ['*'], ownName: geminiToolName },
      ),
      numberRule('limits.turns', ['max_turns'], TURNS_MAX),
      numberRule('limits.minutes', ['timeout_mins'], MINUTES_MAX),
    ],
  },
  codex: {
    format: 'codex',
    tool: 'Codex',
    idKey: 'name',
    needsDescription: true,
    isBodyEnough: false,
    order: ['name', 'description', 'nickname_candidates', 'model', 'model_reasoning_effort', 'sandbox_mode'],
    rules: [
      codexNicknameRule,
      descriptionRule(),
      modelRule((model) => /^(?!claude|gemini|sonnet$|opus$|haiku$|strongest$)[\w.:-]+$/.test(model)),
      effortRule('model_reasoning_effort', { none: 'minimal' }, { max: 'xhigh' }),
      readOnlyRule('sandbox_mode', 'read-only'),
    ],
  },
  cursor: {
    format: 'cursor',
    tool: 'Cursor',
    idKey: 'name',
    needsDescription: true,
    isBodyEnough: false,
    order: ['name', 'description', 'model', 'readonly'],
    rules: [
      descriptionRule(),
      modelRule((model) => model !== 'strongest' && /^[\w.:-]+$/.test(model), ['inherit', 'fast']),
      readOnlyRule('readonly', true),
    ],
  },
};

import type { AgentFormat } from '../../../daemon/contract/imports.js';

/** What people call the tools, in the order in which they are listed. */
export const TOOL_NAMES: Readonly<Record<AgentFormat, string>> = {
  claude: 'Claude Code',
  copilot: 'Copilot',
  opencode: 'opencode',
  gemini: 'Gemini CLI',
  codex: 'Codex',
  cursor: 'Cursor',
};

export const TOOLS = Object.keys(TOOL_NAMES) as AgentFormat[];

/** The tool that a query parameter names. */
export const toolOf = (value: string | undefined): AgentFormat | undefined => TOOLS.find((tool) => tool === value);

/** Where each tool keeps its agents, below the project. */
export const TOOL_FOLDERS = [
  '.claude/agents',
  '.github/agents',
  '.opencode/agent',
  'opencode.json',
  '.gemini/agents',
  '.codex/agents',
  '.cursor/agents',
];

import type { AgentFormat } from '../../../daemon/contract/imports.js';

/** The displayed names of the tools, in display order. */
export const TOOL_NAMES: Readonly<Record<AgentFormat, string>> = {
  claude: 'Claude Code',
  copilot: 'Copilot',
  opencode: 'opencode',
  gemini: 'Gemini CLI',
  codex: 'Codex',
  cursor: 'Cursor',
};

export const TOOLS = Object.keys(TOOL_NAMES) as AgentFormat[];

/** Returns the tool named by a query parameter. */
export const findTool = (value: string | undefined): AgentFormat | undefined => TOOLS.find((tool) => tool === value);

/** Where each tool stores its agents, relative to the project. */
export const TOOL_FOLDERS = [
  '.claude/agents',
  '.github/agents',
  '.opencode/agent',
  'opencode.json',
  '.gemini/agents',
  '.codex/agents',
  '.cursor/agents',
];

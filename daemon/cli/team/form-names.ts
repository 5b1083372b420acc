/** What other programs take to reach members: the ACP registry, Zed, Claude Code and Codex. */
export const FORMS = ['acp', 'zed', 'claude-plugin', 'codex'] as const;
export type Form = (typeof FORMS)[number];

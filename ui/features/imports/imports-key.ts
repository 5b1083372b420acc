/** Everything that is read of other tools' agents: what was found, what drifted, what an export would write. */
export const importsKey = ['imports'] as const;

/** Prefix of all queries about other tools' agents: found agents, drift, and export previews. */
export const importsKey = ['imports'] as const;

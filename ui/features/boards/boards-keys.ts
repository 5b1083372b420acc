export const boardsKeys = {
  /** Everything that is read of the boards of one cluster, by its id. */
  of: (cluster: string) => ['boards', cluster] as const,
};

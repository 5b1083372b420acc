export const boardsKeys = {
  /** Prefix of all queries about the boards of one cluster, by the cluster's id. */
  of: (cluster: string) => ['boards', cluster] as const,
};

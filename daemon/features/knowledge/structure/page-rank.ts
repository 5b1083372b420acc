const DAMPING = 0.85;
const ROUNDS = 25;

/** Returns the PageRank of every file with an edge; an edge points from a file to one that it imports. */
export function computeRanks(edges: readonly { file: number; target: number }[]): Map<number, number> {
  const targets = new Map<number, number[]>();
  const nodes = new Set<number>();
  for (const { file, target } of edges) {
    nodes.add(file).add(target);
    const list = targets.get(file);
    if (list) list.push(target);
    else targets.set(file, [target]);
  }
  const count = nodes.size;
  let ranks = new Map([...nodes].map((node) => [node, 1 / count]));
  for (let round = 0; round < ROUNDS; round += 1) {
    let loose = 0;
    const next = new Map<number, number>();
    for (const [node, rank] of ranks) {
      const out = targets.get(node);
      if (!out) loose += rank;
      for (const target of out ?? []) next.set(target, (next.get(target) ?? 0) + rank / (out?.length ?? 1));
    }
    const base = (1 - DAMPING) / count + (DAMPING * loose) / count;
    ranks = new Map([...nodes].map((node) => [node, base + DAMPING * (next.get(node) ?? 0)]));
  }
  return ranks;
}

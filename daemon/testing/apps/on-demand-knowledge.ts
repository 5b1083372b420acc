import type { Profile } from '../../features/knowledge/knowledge.js';
import { LocalKnowledge } from '../../features/knowledge/local-knowledge.js';

/**
 * Project knowledge that is indexed at the first query. Most tests query nothing, and indexing takes as long as
 * starting a daemon.
 */
export class OnDemandKnowledge extends LocalKnowledge {
  override start(): void {}

  override async findPaths(words: string, limit: number, profile?: Profile): Promise<string[]> {
    if (this.status().state === 'idle') await this.rescan();
    return super.findPaths(words, limit, profile);
  }
}

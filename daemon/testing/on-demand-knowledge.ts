import type { Profile } from '../features/knowledge/knowledge.js';
import { LocalKnowledge } from '../features/knowledge/local-knowledge.js';

/** The knowledge of a project that is read when something is first asked of it: most tests ask nothing, and reading takes as long as starting a daemon. */
export class OnDemandKnowledge extends LocalKnowledge {
  override start(): void {}

  override async findPaths(words: string, limit: number, profile?: Profile): Promise<string[]> {
    if (this.status().state === 'idle') await this.rescan();
    return super.findPaths(words, limit, profile);
  }
}

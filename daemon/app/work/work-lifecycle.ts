import type { ConversationsArea } from '../compose-conversations.js';
import type { UsageArea } from '../compose-usage.js';
import type { LifecycleEntry } from '../lifecycle.js';
import type { CheckpointsArea } from './compose-checkpoints.js';
import type { ReviewsArea } from './compose-reviews.js';
import type { RoadmapArea } from './compose-roadmap.js';
import type { WorktreesArea } from './compose-worktrees.js';

/** What the turns of members need and leave behind. */
export interface WorkAreas {
  conversations: ConversationsArea;
  roadmap: RoadmapArea;
  worktrees: WorktreesArea;
  usage: UsageArea;
  checkpoints: CheckpointsArea;
  reviews: ReviewsArea;
}

/** Lists the turns of members with what must be ready before them and stops after them. */
export function listWork(
  { conversations, roadmap, worktrees, usage: { budgets }, checkpoints, reviews }: WorkAreas,
  ifWritable: (work: () => unknown) => () => unknown,
): LifecycleEntry[] {
  return [
    // Before the turns, which make new ones. Stops after them: their ends look at the changes.
    { name: 'worktrees', start: ifWritable(() => worktrees.start()), stop: () => worktrees.stop() },
    { name: 'budgets', start: ifWritable(() => budgets.start()), stop: () => budgets.stop() },
    // Before the turns, which must not see files that are being put back, and stops after them.
    { name: 'checkpoints', start: ifWritable(() => checkpoints.start()), stop: () => checkpoints.stop() },
    { name: 'merges', start: ifWritable(() => reviews.start()), stop: () => reviews.stop() },
    { name: 'turns', start: ifWritable(() => conversations.start()), stop: () => conversations.runs.stop() },
    { name: 'roadmap', start: ifWritable(() => roadmap.resume()) },
    { name: 'schedules', start: ifWritable(() => roadmap.schedules.start()), stop: () => roadmap.schedules.stop() },
  ];
}

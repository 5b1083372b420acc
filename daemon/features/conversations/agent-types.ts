import { AGENT_TYPES } from '../../contract/team.js';
import audit from './agent-type-prompts/audit.md';
import custom from './agent-type-prompts/custom.md';
import db from './agent-type-prompts/db.md';
import deploy from './agent-type-prompts/deploy.md';
import docs from './agent-type-prompts/docs.md';
import review from './agent-type-prompts/review.md';
import roadmap from './agent-type-prompts/roadmap.md';
import testing from './agent-type-prompts/testing.md';

type AgentType = (typeof AGENT_TYPES)[number];

const PROMPTS: Readonly<Record<AgentType, string>> = { custom, deploy, db, testing, audit, docs, roadmap, review };

export const isAgentType = (word: string): word is AgentType => (AGENT_TYPES as readonly string[]).includes(word);

/** Returns the prompt of a conversation without a member. A stored type that no longer exists runs as `custom`. */
export const getTypePrompt = (type: string): string => PROMPTS[isAgentType(type) ? type : 'custom'];

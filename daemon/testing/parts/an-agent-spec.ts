import type { PricingRow } from '../../contract/team.js';
import type { AgentSpec, HostedSkill, SkillCall } from '../../features/agent-host/agent-spec.js';
import { readSkill } from '../../lib/agents/skill-declaration.js';

export const IN_LAMPORTS: PricingRow = { unit: 'request', amount: 5, currency: 'lamports', network: 'solana:local' };
export const FOR_FREE: PricingRow = { unit: 'request', amount: 0, currency: 'free' };

/** The skill `count`, which takes an object and answers with its input unless `run` says otherwise. */
export const aSkill = (
  declared: object = {},
  prices: PricingRow[] = [],
  run: HostedSkill['run'] = async (input) => input,
): HostedSkill => ({
  ...readSkill({ id: 'count', name: 'Count files', description: 'Counts files.', ...declared }, 'skills.0', prices),
  run,
});

/** An agent with the skill `count`, open to all. */
export const anAgentSpec = (facts: Partial<AgentSpec> = {}): AgentSpec => ({
  ...{ agent_id: 'lamp', url: () => 'http://lamp', name: 'Lamp', description: 'Knows the lamps.', version: '1.0.0' },
  ...{ inputModes: ['text/plain'], outputModes: ['application/json'], pricing: FOR_FREE, latency: 'at most a minute' },
  ...{ skills: [aSkill()], opener: null, interfaces: [], preferredTransport: 'HTTP', moreProtocols: [] },
  ...{ bannerPath: '/about', morePaths: [], providers: () => ['acp'], rateLimits: {}, isReady: () => true },
  tasks: { start: () => undefined, read: () => Promise.reject(new Error('There is no task.')) },
  ...facts,
});

/** A call without a price, with what differs from it. */
export const aSkillCall = (facts: Partial<SkillCall> = {}): SkillCall => ({
  ...{ signal: new AbortController().signal, mode: null, address: '127.0.0.1', recordedAs: () => undefined },
  caller: { user_agent: 'Harbour-Clock/2.1', idempotency_key: null },
  ...facts,
});

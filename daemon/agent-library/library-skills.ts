import type { ErrorCode } from '../contract/errors.js';
import type { PricingRow } from '../contract/team.js';
import type { HostedSkill } from '../features/agent-host/agent-spec.js';
import { withNetworks } from '../lib/agents/pricing-rules.js';
import { readSkill } from '../lib/agents/skill-declaration.js';
import { MeshError } from '../lib/errors.js';
import type { AgentSkillOptions } from './agent-types.js';

/** Error codes that a skill may throw. */
const ANSWERS: readonly ErrorCode[] = [
  'bad_request',
  'forbidden',
  'not_found',
  'too_large',
  'too_many_requests',
  'limit_reached',
  'overloaded',
  'deadline',
];

/** Converts the declared skills to hosted skills. Throws `bad_request` with `path` for one that cannot be served. */
export function librarySkills(
  agentId: string,
  declared: readonly AgentSkillOptions[],
  prices: readonly PricingRow[],
  payment: { network?: string } | undefined,
): HostedSkill[] {
  const ids = new Set<string>();
  return declared.map((options, index) => {
    const skill = readSkill(options, `skills.${index}`, prices);
    if (ids.has(skill.id))
      throw new MeshError('bad_request', `The skill ${skill.id} stands twice.`, {
        details: { path: `skills.${index}.id` },
      });
    ids.add(skill.id);
    const { id } = skill;
    return {
      ...skill,
      prices: withNetworks(skill.prices, payment),
      run: async (input, { signal, address, pubkey, mode, tier }) => {
        const call = {
          agent_id: agentId,
          skill: id,
          signal,
          address,
          mode,
          ...(pubkey === undefined ? {} : { pubkey }),
          ...(tier === undefined ? {} : { tier }),
        };
        try {
          return await options.run(input, call);
        } catch (error) {
          throw toSkillError(error);
        }
      },
    };
  });
}

/** Errors of another program are recognized by their properties, not by their class. */
function toSkillError(error: unknown): unknown {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const known = ANSWERS.find((one) => one === code);
  return known !== undefined && typeof message === 'string' ? new MeshError(known, message, { cause: error }) : error;
}

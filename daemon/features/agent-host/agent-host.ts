import type { Caller, SkillAskBody, SkillAskResult } from '../../contract/asks.js';
import type { AgentCard, AgentHealth, PublicCard } from '../../contract/card.js';
import { SKILL_DEADLINE_SECONDS } from '../../contract/limits.js';
import { MeshError } from '../../lib/errors.js';
import type { Asks } from '../asks/asks.js';
import type { Exposure } from '../exposure/exposure.js';
import type { MemberVersion } from '../team/member-file.js';
import { agentCard, publicCard } from './member-card.js';

/** The interface that an exposed member hosts. Specification: Interface hosted by each agent. */
export class AgentHost {
  constructor(
    private readonly exposure: Exposure,
    private readonly asks: Asks,
    private readonly origin: () => string,
  ) {}

  /** The Tier-2 card; `not_found` for unknown and internal members alike. */
  publicCard(id: string): PublicCard {
    return publicCard({ member: this.exposed(id), origin: this.origin() });
  }

  /** The strict A2A 1.0 card; `not_found` for unknown and internal members alike. */
  agentCard(id: string): AgentCard {
    return agentCard({ member: this.exposed(id), origin: this.origin() });
  }

  /** The health record; `not_found` for unknown and internal members alike. */
  health(id: string): AgentHealth {
    const member = this.exposed(id);
    return { ok: true, agent_id: member.id, upstream_ready: true };
  }

  /**
   * Runs the skill `ask` to its end. Throws `bad_request` unless the question is given under exactly one name, `deadline` (with `request_id`) after
   * 120 s, `overloaded` when the member could not answer, `not_found` for another skill.
   */
  async runSkill(id: string, skill: string, body: SkillAskBody, caller: Caller, signal: AbortSignal): Promise<SkillAskResult> {
    if (skill !== 'ask') throw new MeshError('not_found', `There is no skill "${skill.slice(0, 64)}": the card lists them.`);
    const [text, ...others] = [body.text, body.prompt, body.query].filter((value) => value !== undefined);
    if (text === undefined || others.length > 0) {
      throw new MeshError('bad_request', 'Give the question as exactly one of "text", "prompt" or "query".', { details: { path: 'text' } });
    }
    const { request_id } = await this.asks.submit(id, body.session === undefined ? { text } : { text, session: body.session }, caller);
    await this.asks.wait(request_id, SKILL_DEADLINE_SECONDS, signal);
    const record = await this.asks.read(id, request_id);
    const { status, result_text, citations, client, model, error } = record;
    if (status === 'done' && result_text !== undefined) return { request_id, result_text, citations: citations ?? [], client, model };
    if (status === 'error' && error?.code === 'member_gone') throw new MeshError('member_gone', error.message, { details: { request_id } });
    if (status === 'error')
      throw new MeshError('overloaded', error?.message ?? 'The member could not answer.', { details: { request_id } });
    throw new MeshError('deadline', `No answer within ${SKILL_DEADLINE_SECONDS} s: poll the request.`, { details: { request_id } });
  }

  private exposed(id: string): MemberVersion {
    const member = this.exposure.external(id);
    if (!member) throw new MeshError('not_found', 'There is no such agent.');
    return member;
  }
}

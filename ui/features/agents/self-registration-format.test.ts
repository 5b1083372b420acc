import { describe, expect, it } from 'vitest';
import type {
  SelfRegistrationRecord,
  SurfaceRegistration,
} from '../../../daemon/contract/network/self-registration.js';
import { findMember, findRegistrationProblem, formatLiveness, listAgentIds } from './self-registration-format.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const well: SurfaceRegistration = {
  agent_id: 'lamp-consultant',
  registered: true,
  online: true,
  last_heartbeat: NOW / 1_000 - 40,
  token_age_seconds: 130,
  problem: null,
};
const absent: SurfaceRegistration = {
  agent_id: null,
  registered: false,
  online: false,
  last_heartbeat: null,
  token_age_seconds: null,
  problem: null,
};
const house = (hub: SurfaceRegistration, v1: SurfaceRegistration): SelfRegistrationRecord => ({
  member: 'consultant',
  surfaces: { hub, v1 },
});

describe('self-registration', () => {
  it('shows the heartbeat and the age of the token', () => {
    expect(formatLiveness(well, NOW)).toBe('heartbeat 40 s ago, token 2 min 10 s old');
    expect(formatLiveness({ ...well, last_heartbeat: null, token_age_seconds: null }, NOW)).toBe(
      'no heartbeat yet, no token since the start',
    );
    expect(formatLiveness(absent, NOW)).toBe('not registered');
  });

  it('has no problem when both surfaces have it', () => {
    expect(findRegistrationProblem(house(well, well))).toBeUndefined();
  });

  it('names the surface that lacks it', () => {
    expect(findRegistrationProblem(house(well, absent))).toMatch(/^Not on the Unified API/);
    expect(findRegistrationProblem(house(absent, absent))).toMatch(/^Not registered yet/);
  });

  it('reports an error of a surface before a missing registration', () => {
    expect(findRegistrationProblem(house({ ...absent, problem: 'The store is read-only.' }, well))).toBe(
      'Hub: The store is read-only.',
    );
  });

  it('is found by its id on either surface, case-insensitively', () => {
    const two = house(well, { ...well, agent_id: 'lamp-consultant-2' });
    expect(listAgentIds(two)).toEqual([
      { agentId: 'lamp-consultant', where: ['hub'] },
      { agentId: 'lamp-consultant-2', where: ['v1'] },
    ]);
    expect(listAgentIds(house(well, well))).toEqual([{ agentId: 'lamp-consultant', where: ['hub', 'v1'] }]);
    expect(findMember([two], 'LAMP-consultant-2')).toBe('consultant');
    expect(findMember([two], 'painter')).toBeUndefined();
    expect(findMember([house(absent, absent)], 'lamp-consultant')).toBeUndefined();
  });
});

import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ErrorCode } from '../../contract/errors.js';
import type { Surface } from '../../contract/network/agents.js';
import { MeshError } from '../../lib/errors.js';
import { SecretFile } from '../../storage/files/secret-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { RegistrationKeys } from './registration-keys.js';
import { RegistrationMarks } from './registration-marks.js';
import { SelfRegistration } from './self-registration.js';
import type { SurfacePort } from './surface-ports.js';

/** A surface that counts what it is asked for and fails with `failure` while that is set. */
class ScriptedSurface implements SurfacePort {
  registrations = 0;
  failsAt: { step: 'open' | 'push'; code: ErrorCode } | undefined;

  constructor(readonly surface: Surface) {}

  async register(agent_id: string) {
    this.registrations += 1;
    return { api_key: `key-${this.registrations}`, registration: { agent_id, rid: `rid-${this.registrations}` } };
  }

  async open(agent_id: string) {
    this.fail('open');
    return { agent_id, rid: `rid-${this.registrations}` };
  }

  async push() {
    this.fail('push');
  }

  async deregister() {}

  isStanding() {
    return false;
  }

  findState() {
    return { isOnline: true, lastSeen: null };
  }

  private fail(step: 'open' | 'push'): void {
    if (this.failsAt?.step === step) throw new MeshError(this.failsAt.code, 'The surface failed.');
  }
}

/** A member that is registered on both surfaces. */
async function registeredMember() {
  const surfaces = { hub: new ScriptedSurface('hub'), v1: new ScriptedSurface('v1') };
  const keys = new RegistrationKeys(new SecretFile(join(temporaryFolder(), 'keys.json')), async () => true);
  const warnings: string[] = [];
  const members = [{ id: 'consultant', agent_type: 'custom' }];
  const registration = new SelfRegistration({
    exposure: { externalMembers: () => members as never },
    host: { publicCard: () => ({ description: 'Knows.', skills: [], availability: { now: true } }) as never },
    surfaces,
    keys,
    marks: new RegistrationMarks({ read: async () => null, write: async () => undefined }),
    clock: new FakeClock(),
    project: 'lamps',
    warn: (message) => void warnings.push(message),
  });
  await registration.start();
  onTestFinished(() => registration.stop());
  return { registration, surfaces, keys, warnings };
}

const FAILURES: [ErrorCode, 'open' | 'push'][] = [
  ['no_space', 'open'],
  ['no_space', 'push'],
  ['store_readonly', 'open'],
  ['overloaded', 'push'],
  ['too_many_requests', 'open'],
  ['bad_request', 'push'],
];

describe('The key of a self-registration', () => {
  it.each(FAILURES)(
    'outlives a heartbeat that fails with %s at %s, and nothing is registered anew',
    async (code, step) => {
      const { registration, surfaces, keys, warnings } = await registeredMember();
      const before = keys.find('consultant', 'hub');
      expect(before).toBeDefined();
      surfaces.hub.failsAt = { step, code };
      await registration.settle();
      expect(registration.list().registrations[0]?.surfaces).toMatchObject({
        hub: { problem: 'The surface failed.' },
        v1: { problem: null },
      });
      expect(warnings).toHaveLength(1);
      surfaces.hub.failsAt = undefined;
      await registration.settle();
      expect(keys.find('consultant', 'hub')).toEqual(before);
      expect([surfaces.hub.registrations, surfaces.v1.registrations]).toEqual([1, 1]);
      expect(registration.list().registrations[0]?.surfaces.hub.problem).toBeNull();
    },
  );

  it.each(['unauthorized', 'not_found'] as const)('is replaced once the surface says %s: it is over', async (code) => {
    const { registration, surfaces, keys } = await registeredMember();
    const before = keys.find('consultant', 'v1');
    surfaces.v1.failsAt = { step: 'push', code };
    await registration.settle();
    expect(surfaces.v1.registrations).toBe(2);
    expect(keys.find('consultant', 'v1')).not.toEqual(before);
  });
});

import type { ClientList } from '../../contract/clients.js';
import type { SelfRegistrationList } from '../../contract/network/self-registration.js';
import {
  type DoctorReport,
  type Health,
  LOG_LINES_MAX,
  type Preferences,
  type Versions,
} from '../../contract/system.js';
import type { Member } from '../../contract/team.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import { type Clock, isoTime } from '../../lib/time/clock.js';
import type { DaemonLog } from './daemon-log.js';

interface BundleParts {
  clock: Clock;
  versions: () => Versions;
  health: () => Health;
  examine: () => Promise<DoctorReport>;
  listClients: () => Promise<ClientList>;
  members: () => readonly Member[];
  registrations: () => SelfRegistrationList;
  preferences: () => Preferences;
  log: DaemonLog;
  /** The project's root and the user's home. Both paths are redacted from the bundle. */
  root: string;
  home: string | undefined;
}

const HOLDS =
  'Versions, health, the doctor’s report, clients, member ids with how their files stand, registrations, ' +
  'preferences and the end of the log. ' +
  'No token, key, prompt, question, answer or message; paths of this machine are replaced.';

/** The state of a member's file and what the member runs on. Excludes its prompt and description. */
const MEMBER_FIELDS = [
  'id',
  'kind',
  'state',
  'exposure',
  'client_resolved',
  'model_resolved',
  'effort',
  'instances',
  'problem',
] as const satisfies readonly (keyof Member)[];

const summarizeMember = (member: Member) => Object.fromEntries(MEMBER_FIELDS.map((field) => [field, member[field]]));

/** Diagnostic data about this daemon, which the operator may pass on with a bug report. */
export class SupportBundle {
  constructor(private readonly parts: BundleParts) {}

  /** Returns the bundle as JSON text. */
  async make(): Promise<string> {
    const { clock, versions, health, examine, listClients, members, registrations, preferences, log } = this.parts;
    const [doctor, clients, { lines }] = await Promise.all([
      examine(),
      listClients(),
      log.read({ limit: LOG_LINES_MAX }),
    ]);
    const { project: _, root_sha256: __, proof: ___, ...wellness } = health();
    return this.redact(
      JSON.stringify(
        {
          made_at: isoTime(clock.now()),
          holds: HOLDS,
          versions: versions(),
          health: wellness,
          doctor,
          clients,
          members: members().map(summarizeMember),
          registrations: registrations().registrations,
          preferences: preferences(),
          log: lines,
        },
        undefined,
        2,
      ),
    );
  }

  private redact(text: string): string {
    const { root, home } = this.parts;
    // Paths in their JSON-escaped form.
    const written = (path: string) => JSON.stringify(path).slice(1, -1);
    const unrooted = text.replaceAll(written(root), '<project>');
    const unhomed = home === undefined || home.length < 2 ? unrooted : unrooted.replaceAll(written(home), '<home>');
    return scrubSecrets(unhomed);
  }
}

import type { SelfRegistrationList } from '../../contract/network/self-registration.js';
import type { RunningProject } from '../../contract/projects.js';
import type { MemberDetail } from '../../contract/team.js';
import { OPERATOR_HEADER, operatorProof } from '../../lib/crypto/daemon-proof.js';
import { MeshError } from '../../lib/errors.js';
import { askObject } from './ask-health.js';
import type { ProvenProject, RunningProjects } from './running-projects.js';

/** A member of a running project of this user. */
interface NeighbourMember {
  /** `<project>/<member>`. */
  ref: string;
  member: string;
  project: RunningProject;
}

/** What an operator reads of a neighbour, by path. */
type OperatorDocument = Partial<MemberDetail> | Partial<SelfRegistrationList>;

const REF = /^([^/]+)\/([a-z0-9][a-z0-9-]*)$/;

/**
 * The other running daemons of this user, as their operator sees them. A daemon is read only after it has proven its
 * identity in the same call; its secret leaves this process to nobody else.
 */
export class Neighbours {
  constructor(private readonly projects: Pick<RunningProjects, 'list' | 'listOthers'>) {}

  /**
   * Finds `<project>/<member>`; undefined for a text of another form. Whether the project has the member is not looked
   * at. Throws `not_found` when no running project has the name, and `bad_request` when several have.
   */
  async find(ref: string): Promise<NeighbourMember | undefined> {
    const [, name, member] = REF.exec(ref) ?? [];
    if (name === undefined || member === undefined) return undefined;
    const { projects } = await this.projects.list();
    const [project, second] = projects.filter((one) => one.name === name);
    if (!project) {
      const names = projects.map((one) => one.name).join(', ');
      throw new MeshError(
        'not_found',
        `No running project is called ${name}; there are ${names}: start it with \`meshd up\` in its folder.`,
      );
    }
    if (second) {
      throw new MeshError(
        'bad_request',
        `Several running projects are called ${name}: give the address of the member, such as ${project.address}/team/${member}.`,
      );
    }
    return { ref, member, project };
  }

  /** Returns the running project of this user, other than this daemon's, that listens at `origin`. */
  async at(origin: string): Promise<ProvenProject | undefined> {
    const others = await this.projects.listOthers();
    return others.find(({ project }) => project.address === origin);
  }

  /** Returns every running project of this user except this daemon's. */
  async all(): Promise<ProvenProject[]> {
    return this.projects.listOthers();
  }

  /** Returns the token of a member of a neighbour; undefined when it is not exposed there, or gives no answer. */
  async token(neighbour: ProvenProject, member: string): Promise<string | undefined> {
    const { token } = (await this.read(neighbour, `/team/${encodeURIComponent(member)}`)) as Partial<MemberDetail>;
    return token;
  }

  /** Returns the id under which a neighbour's member is registered in the directories of its own daemon. */
  async agentId(neighbour: ProvenProject, member: string): Promise<string | undefined> {
    const { registrations = [] } = (await this.read(neighbour, '/registrations')) as Partial<SelfRegistrationList>;
    const surfaces = registrations.find((row) => row.member === member)?.surfaces;
    return surfaces?.v1.agent_id ?? surfaces?.hub.agent_id ?? undefined;
  }

  private async read({ project, secret }: ProvenProject, path: string): Promise<OperatorDocument> {
    const found = await askObject(project.address + path, { [OPERATOR_HEADER]: operatorProof(secret) });
    return typeof found === 'string' ? {} : found;
  }
}

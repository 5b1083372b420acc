import { Option } from 'commander';
import { SURFACES, type Surface } from '../../contract/network/agents.js';
import type { AgentRecord } from '../../contract/network/hub.js';
import type { RegistryRecord } from '../../contract/network/registry.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { readText } from '../standard-input.js';

const CHOICES = [...SURFACES, 'both'] as const;
export type SurfaceChoice = (typeof CHOICES)[number];

/** The path of the agents on each surface. */
export const SURFACE_PATH: Readonly<Record<Surface, string>> = { hub: '/agents', v1: '/v1/agents' };
export const SURFACE_NAME: Readonly<Record<Surface, string>> = { hub: 'hub', v1: 'unified API' };

export const surfaceOption = (what: string) => new Option('--surface <surface>', what).choices(CHOICES);
export const cardOption = () => new Option('--card <file>', 'the discovery card, a JSON file; - reads stdin');

export const listSurfaces = (choice: SurfaceChoice): readonly Surface[] => (choice === 'both' ? SURFACES : [choice]);

/**
 * Reads the JSON object in the file at `path`, or on stdin for `-`. The surfaces validate the content of a card. Throws
 * `bad_request` when it is not a JSON object.
 */
export async function readCard(path: string | undefined): Promise<object | undefined> {
  if (path === undefined) return undefined;
  const text = await readText(path);
  let card: unknown;
  try {
    card = JSON.parse(text);
  } catch {
    card = undefined;
  }
  if (typeof card !== 'object' || card === null || Array.isArray(card)) {
    throw new CommandError(EXIT.usage, `${path} is no JSON object: give a discovery card.`, 'bad_request');
  }
  return card;
}

async function findRecord<T>(client: HttpClient, path: string): Promise<T | null> {
  try {
    return await client.get<T>(path);
  } catch (error) {
    if (error instanceof CommandError && error.exit === EXIT.notFound) return null;
    throw error;
  }
}

/** Reads the record of an agent on each surface; null where it is not known. */
export async function lookUp(
  client: HttpClient,
  agentId: string,
): Promise<{ hub: AgentRecord | null; v1: RegistryRecord | null }> {
  const id = encodeURIComponent(agentId);
  const [hub, v1] = await Promise.all([
    findRecord<AgentRecord>(client, `${SURFACE_PATH.hub}/${id}`),
    findRecord<RegistryRecord>(client, `${SURFACE_PATH.v1}/${id}`),
  ]);
  return { hub, v1 };
}

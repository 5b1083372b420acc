import { Type } from 'typebox';
import Value from 'typebox/value';
import { MeshError } from '../../lib/errors.js';
import type { JsonObject } from '../../storage/files/json-file.js';

/** The network that the operator joined on this machine. */
export interface JoinedNetwork {
  url: string;
  network: string;
  /** How other daemons see this one. */
  name: string;
}

/** The settings file: empty without a network. */
export interface NetworkFile {
  joined: JoinedNetwork | undefined;
  /** The exposed members that the operator shares with it. */
  shared: readonly string[];
}

const Joined = Type.Object(
  {
    url: Type.String(),
    network: Type.String(),
    name: Type.String(),
    shared: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
);

/** Reads the settings file. Throws `store_readonly` when it is damaged. */
export function parseNetworkFile(content: JsonObject | null): NetworkFile {
  if (content === null || Object.keys(content).length === 0) return { joined: undefined, shared: [] };
  if (!Value.Check(Joined, content))
    throw new MeshError('store_readonly', '.mesh/state/network.json is damaged: mend it, or remove it.');
  const { shared = [], ...joined } = content as unknown as JoinedNetwork & { shared?: string[] };
  return { joined, shared };
}

export const stringifyNetworkFile = ({ joined, shared }: NetworkFile): JsonObject =>
  joined ? { ...joined, shared: [...shared] } : {};

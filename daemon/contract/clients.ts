import { type Static, Type } from 'typebox';

/** A client that can run a member on this machine, and whether it is ready. */
export const ClientInfo = Type.Object(
  {
    name: Type.String(),
    ready: Type.Boolean(),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is not ready; null when it is.' }),
    models: Type.Array(Type.String()),
    efforts: Type.Array(Type.String()),
  },
  { $id: 'ClientInfo' },
);
export type ClientInfo = Static<typeof ClientInfo>;

export const ClientList = Type.Object(
  { clients: Type.Array(Type.Ref('ClientInfo')), auto: Type.String() },
  { $id: 'ClientList' },
);
export type ClientList = { clients: ClientInfo[]; auto: string };

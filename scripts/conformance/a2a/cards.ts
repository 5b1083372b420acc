import { holds, type Scenario, same } from '../scenarios.js';
import { call } from './http.js';
import { card, type Subject } from './subject.js';

/** Discovery: the documents that a client reads before its first call. They need no token. */
export const cards = (subject: Subject): Scenario[] => [
  {
    title: '1.0: /.well-known/agent-card.json has the required members and declares all supported protocols',
    run: async () => {
      const now = await card(subject, 'agent-card.json', '1.0');
      for (const name of ['name', 'description', 'version'])
        holds(name, typeof now[name] === 'string' && now[name] !== '', now);
      for (const name of ['supportedInterfaces', 'defaultInputModes', 'defaultOutputModes', 'skills'])
        holds(name, Array.isArray(now[name]) && now[name].length > 0, now);
      const { streaming, pushNotifications, extendedAgentCard } = now.capabilities;
      same('capabilities', [streaming, pushNotifications, extendedAgentCard], [true, true, true]);
      for (const { url, protocolBinding, protocolVersion } of now.supportedInterfaces)
        holds(
          'an interface',
          url.startsWith('http') && protocolBinding !== '' && /^\d+\.\d+$/.test(protocolVersion),
          now,
        );
      for (const { id, name, description, tags } of now.skills)
        holds('a skill', Boolean(id && name && description && tags.length > 0), now);
      const [scheme] = Object.values<{ httpAuthSecurityScheme?: { scheme: string } }>(now.securitySchemes);
      same('the security scheme', scheme?.httpAuthSecurityScheme?.scheme, 'Bearer');
      holds('it is required', now.securityRequirements.length > 0, now);
    },
  },
  {
    title: '1.0: Servers SHOULD include Cache-Control and ETag; a conditional request is answered 304',
    run: async () => {
      const url = `${subject.base}/.well-known/agent-card.json`;
      const { headers, type } = await call({ method: 'GET', url });
      holds('Content-Type', /^application\/(?:a2a\+)?json/.test(type), type);
      holds('Cache-Control', /max-age=\d+/.test(headers.get('cache-control') ?? ''), headers.get('cache-control'));
      const tag = headers.get('etag') ?? '';
      same('again', (await call({ method: 'GET', url, headers: { 'if-none-match': tag } })).status, 304);
    },
  },
  {
    title: '0.3: the card, without a version too, has url, preferredTransport, protocolVersion, additionalInterfaces',
    run: async () => {
      const then = await card(subject, 'agent.json');
      same('at agent-card.json, where 0.3 has it', await card(subject, 'agent-card.json', '0.3'), then);
      same('without a version header', await card(subject, 'agent-card.json'), then);
      same('protocolVersion', then.protocolVersion, '0.3.0');
      same('preferredTransport', then.preferredTransport, 'JSONRPC');
      for (const name of ['name', 'description', 'url', 'version'])
        holds(name, typeof then[name] === 'string' && then[name] !== '', then);
      for (const name of ['defaultInputModes', 'defaultOutputModes', 'skills', 'additionalInterfaces'])
        holds(name, Array.isArray(then[name]) && then[name].length > 0, then);
      same('capabilities', [then.capabilities.streaming, then.capabilities.pushNotifications], [true, true]);
      same('supportsAuthenticatedExtendedCard', then.supportsAuthenticatedExtendedCard, true);
      const [scheme] = Object.values<{ type: string; scheme: string }>(then.securitySchemes);
      same('the security scheme', [scheme?.type, scheme?.scheme], ['http', 'bearer']);
    },
  },
];

import { FrameSocket } from './frame-socket.js';
import { type Answer, type Extras, HttpClient, newId } from './http-client.js';

export const HUB_CARD = {
  endpoint: 'https://lamp.example/agent',
  description: 'Says whether the lamp is lit.',
  tags: ['lamp', 'harbour'],
  category: 'home.light',
  accepts: ['application/json'],
  produces: ['application/json'],
  protocols: ['http', 'a2a'],
  pricing: { unit: 'request', amount: 0, currency: 'free' },
  availability: { now: true },
};

/** An agent as the hub knows it, with what it received at its registration. */
export class HubAgent {
  private readonly http: HttpClient;

  private constructor(
    private readonly url: string,
    readonly id: string,
    readonly apiKey: string,
    readonly token: string,
  ) {
    this.http = new HttpClient(url, token);
  }

  /** Registers with the two members that every client sends. */
  static async register(url: string, id = newId('lamp')): Promise<HubAgent> {
    const body = { agent_id: id, capabilities: ['light'] };
    const { api_key, token } = await new HttpClient(url).expect(200, 'POST', '/agents/register', { body });
    return new HubAgent(url, id, api_key, token);
  }

  send(method: string, path: string, extras: Extras = {}): Promise<Answer> {
    return this.http.send(method, path, extras);
  }

  expect(...words: Parameters<HttpClient['expect']>): ReturnType<HttpClient['expect']> {
    return this.http.expect(...words);
  }

  /** Reads the public record of an agent. */
  lookUp(id = this.id): Promise<Answer> {
    return new HttpClient(this.url).send('GET', `/agents/${id}`);
  }

  /** Opens the live socket, with the token in the query. */
  live(path = '/agents/ws'): Promise<FrameSocket> {
    return FrameSocket.open(this.url, `${path}?token=${this.token}`);
  }
}

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type Answer, type Extras, HttpClient, newId } from './http-client.js';

/** An agent of the unified API, with what it received at its registration. */
export class UnifiedAgent {
  private readonly http: HttpClient;

  private constructor(
    readonly id: string,
    readonly apiKey: string,
    readonly token: string,
    url: string,
  ) {
    this.http = new HttpClient(url, token);
  }

  /** Registers with the id alone, or with what `more` adds. */
  static async register(url: string, more: Readonly<Record<string, unknown>> = {}): Promise<UnifiedAgent> {
    const body = { agent_id: newId('one'), ...more };
    const result = await new HttpClient(url).expect(200, 'POST', '/v1/agents/register', { body });
    return new UnifiedAgent(result.agent_id, result.api_key, result.token, url);
  }

  send(method: string, path: string, extras: Extras = {}): Promise<Answer> {
    return this.http.send(method, path, extras);
  }

  expect(...words: Parameters<HttpClient['expect']>): ReturnType<HttpClient['expect']> {
    return this.http.expect(...words);
  }
}

/** An Ed25519 identity key that signs requests with the header `Mesh-Sig`. */
export class Identity {
  readonly pubkey: string;
  private readonly key: KeyObject;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.key = privateKey;
    this.pubkey = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
  }

  /** Returns a signed request. The signature covers method, path, body, time and a nonce. */
  sign(method: string, path: string, body: unknown, atSeconds = Math.floor(Date.now() / 1_000)): Extras {
    const bytes = JSON.stringify(body);
    const digest = createHash('sha256').update(bytes).digest('hex');
    const nonce = randomBytes(16).toString('hex');
    const lines = ['v1', method, path, digest, atSeconds, nonce].join('\n');
    const signature = sign(null, Buffer.from(lines), this.key).toString('base64');
    return { body: bytes, headers: { 'mesh-sig': `v1 ${this.pubkey} ${atSeconds} ${nonce} ${signature}` } };
  }
}

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface EmbeddingRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: { model: string; input: string[] };
}

/** The response of the endpoint: vectors, a status, a raw body or a redirect. */
type EmbeddingReply = { vectors: number[][] } | { status: number } | { raw: string } | { redirect: string };

/** An OpenAI-compatible embedding endpoint on the loopback interface over real HTTP. Stopped when the test ends. */
export class StandInEmbeddings {
  readonly requests: EmbeddingRequest[] = [];
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
      };
      this.requests.push(asked);
      const reply = this.reply(asked);
      if ('status' in reply) return void response.writeHead(reply.status).end('{}');
      if ('redirect' in reply) return void response.writeHead(307, { location: reply.redirect }).end();
      const data =
        'vectors' in reply
          ? reply.vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse()
          : [];
      response
        .setHeader('content-type', 'application/json')
        .end('raw' in reply ? reply.raw : JSON.stringify({ object: 'list', data }));
    });
  });

  private constructor(public reply: (request: EmbeddingRequest) => EmbeddingReply) {}

  /** Starts an endpoint that returns `computeVector(text)` for each text. */
  static async start(computeVector: (text: string) => number[]): Promise<StandInEmbeddings> {
    const endpoint = new StandInEmbeddings(({ body }) => ({ vectors: body.input.map(computeVector) }));
    await new Promise<void>((resolve) => endpoint.server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => endpoint.stop());
    return endpoint;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** The texts requested so far, in order. */
  get texts(): string[] {
    return this.requests.flatMap(({ body }) => body.input);
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

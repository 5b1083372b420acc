import { request } from 'undici';

export interface Answer {
  status: number;
  // Each caller knows the shape of the response that it requested.
  // biome-ignore lint/suspicious/noExplicitAny: a response body of any route.
  body: any;
}

/** Sends one request. Returns undefined when the connection was closed before a response. */
export async function callHttp(
  address: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer | undefined> {
  try {
    const answer = await request(address + path, {
      method: method as 'GET',
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.body.text();
    return {
      status: answer.statusCode,
      body: /json/.test(String(answer.headers['content-type'])) ? JSON.parse(text) : text,
    };
  } catch {
    return undefined;
  }
}

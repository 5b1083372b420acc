export interface Answer {
  status: number;
  // Each caller knows the shape of what it asked for.
  // biome-ignore lint/suspicious/noExplicitAny: the wire.
  body: any;
}

/** One request; undefined when the connection was cut before it was answered. */
export async function callOf(
  address: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer | undefined> {
  try {
    const response = await fetch(address + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text };
  } catch {
    return undefined;
  }
}

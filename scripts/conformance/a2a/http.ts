// biome-ignore lint/suspicious/noExplicitAny: the body of any answer; each scenario knows what it asked for.
export type Body = any;

/** One answer over HTTP. A stream has its events instead of a body. */
export interface Answer {
  status: number;
  type: string;
  headers: Headers;
  body: Body;
  events: Body[];
}

export interface Call {
  method?: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is text. */
  body?: unknown;
  /** Called with each event of a stream as it arrives. */
  onEvent?: (event: Body) => void;
}

/** Reads the events of a stream as the specification of server-sent events says. */
async function readEvents(response: Response, onEvent: (event: Body) => void): Promise<Body[]> {
  const events: Body[] = [];
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trim())
        .join('\n');
      if (data === '') continue;
      events.push(JSON.parse(data));
      onEvent(events.at(-1));
    }
  }
  return events;
}

/** Sends one request. A call that is not answered within 20 s throws. */
export async function call({ method = 'POST', url, headers = {}, body, onEvent = () => undefined }: Call) {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    signal: AbortSignal.timeout(20_000),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const type = response.headers.get('content-type') ?? '';
  const answer: Answer = { status: response.status, type, headers: response.headers, body: undefined, events: [] };
  if (type.startsWith('text/event-stream')) return { ...answer, events: await readEvents(response, onEvent) };
  const text = await response.text();
  return { ...answer, body: /json/.test(type) && text !== '' ? JSON.parse(text) : text };
}

import { describe, expect, it } from 'vitest';
import type { HostedTask } from '../../contract/network/hosted-agents.js';
import { MeshError } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { anAgentSpec, aSkill, FOR_FREE, IN_LAMPORTS } from '../../testing/parts/an-agent-spec.js';
import type { AgentSpec, SkillCall } from './agent-spec.js';
import { HostedAgent, type SkillRequest } from './hosted-agent.js';

const CALLER = { user_agent: 'Harbour-Clock/2.1', idempotency_key: null };
const DEPOSITS = { modes: ['deposit'] } as AgentSpec['payment'] & object;
const X402 = { modes: ['x402'] } as AgentSpec['payment'] & object;

/** A request without payment; its signal fires when the test says so. */
function aRequest(facts: Partial<SkillRequest> = {}) {
  const gone = new AbortController();
  const payer = { address: '127.0.0.1' } as SkillRequest['payer'];
  const request: SkillRequest = { payer, requestSha256: 'digest', signal: gone.signal, caller: CALLER, ...facts };
  return { request, gone };
}

/** An agent over a processor that serves every call in mode `x402` and records it. */
function hosting(spec: Partial<AgentSpec> = {}) {
  const clock = new FakeClock();
  const served: object[] = [];
  const failures: string[] = [];
  const processor = {
    serve: async (priced: object, run: (mode: string) => Promise<{ status: number; body: unknown }>) => {
      served.push(priced);
      return { ...(await run('x402')), headers: { 'x-paid': 'yes' }, more: 1 };
    },
    topup: async (...given: unknown[]) => given,
    balance: async (...given: unknown[]) => given,
    isChallenge: (_agent: string, nonce: string) => nonce === 'challenged',
  };
  const agent = new HostedAgent(anAgentSpec(spec), {
    ...{ clock, onFailure: (error, skill) => void failures.push(`${skill} ${(error as Error).message}`) },
    processor: () => processor as never,
  });
  return { agent, clock, served, failures };
}

/** A skill that records its calls and answers with `output`. */
function recorded(output: unknown = { files: 3 }, declared: object = {}, prices = [] as (typeof FOR_FREE)[]) {
  const calls: { input: unknown; call: SkillCall }[] = [];
  const skill = aSkill(declared, prices, async (input, call) => {
    calls.push({ input, call });
    call.recordedAs('req-1');
    if (output instanceof Error) throw output;
    return output;
  });
  return { skill, calls };
}

describe('the documents of an agent', () => {
  it('are made once, and anew when its address or its measured latency changes', () => {
    let [url, latency] = ['http://a', undefined as string | undefined];
    const { agent } = hosting({ url: () => url, measuredLatency: () => latency, skills: [aSkill({}, [IN_LAMPORTS])] });
    const all = () => [agent.card(), agent.strictCard(), agent.openApi()];
    const first = all();
    expect(all().map((one, at) => one === first[at])).toEqual([true, true, true]);
    url = 'http://b';
    expect(agent.card().value.url).toBe('http://b');
    expect(agent.openApi().value).toContain('http://b');
    latency = '2.0 s';
    expect(agent.strictCard().value.skills[0]?.description).toContain('2.0 s');
    expect(agent.card().value.skills[0]?.description).toContain('2.0 s');
    expect(agent.banner()).toMatchObject({ agent_id: 'lamp', version: agent.card().value.version });
  });

  const fail = () => {
    throw new Error('No.');
  };
  const READINESS: [AgentSpec['isReady'], boolean][] = [
    [() => true, true],
    [() => false, false],
    [async () => true, true],
    [async () => fail(), false],
    [fail, false],
  ];

  it.each(READINESS)(
    'tell whether it is ready, also when that cannot be found out: %#',
    async (isReady, upstream_ready) => {
      expect(await hosting({ isReady }).agent.health()).toEqual({ ok: true, agent_id: 'lamp', upstream_ready });
    },
  );
});

describe('who may call a skill', () => {
  const opener = { name: 'token', description: '', isRight: () => true };
  const tiered = [
    { ...IN_LAMPORTS, tier: 'max' },
    { ...FOR_FREE, tier: 'mini' },
  ];

  it('is the bearer of the agent where it costs nothing, and everybody where there is no bearer', () => {
    const free = hosting({ opener }).agent;
    expect([free.needsOpener('count'), free.needsOpener('count', {}), free.needsOpenerAlways]).toEqual([
      true,
      true,
      true,
    ]);
    const open = hosting().agent;
    expect([open.needsOpener('count'), open.needsOpener('x'), open.needsOpenerAlways]).toEqual([false, false, false]);
  });

  it('is who pays, or the bearer of the agent for a tier that is free', () => {
    const { agent } = hosting({ opener, skills: [aSkill({}, tiered), aSkill({ id: 'free' })] });
    expect(agent.needsOpenerAlways).toBe(false);
    expect([agent.needsOpener('count'), agent.needsOpener('count', 'x')]).toEqual([false, false]);
    expect([agent.needsOpener('count', { tier: 'mini' }), agent.needsOpener('count', { tier: 'max' })]).toEqual([
      ...[true, false],
    ]);
    expect(agent.needsOpener('free')).toBe(true);
  });

  it('is nobody where its price cannot be charged here, and where there is no such skill', async () => {
    const { agent } = hosting({ skills: [{ ...aSkill(), refusal: 'cannot be charged: no rate.' }] });
    const refused = { code: 'overloaded', message: 'The price of this skill cannot be charged: no rate.' };
    for (const call of [() => agent.requireChargeable('count'), () => agent.admitCall('count', 'a')])
      expect(call).toThrow(expect.objectContaining(refused));
    const body = { message: { parts: [{ type: 'text', text: 'x' }] } };
    await expect(agent.call('count', {}, aRequest().request)).rejects.toMatchObject(refused);
    await expect(agent.sendTask(body, aRequest().request)).rejects.toMatchObject(refused);
    const unknown = { code: 'not_found', message: `There is no skill "${'x'.repeat(64)}": the card lists them.` };
    expect(() => agent.skill('x'.repeat(65))).toThrow(expect.objectContaining(unknown));
  });

  it('is limited by the calls from one address', () => {
    const { agent } = hosting({ rateLimits: { per_ip_per_day: 2 } });
    agent.admit('a');
    agent.admitCall('count', 'a');
    expect(() => agent.admitCall('count', 'a')).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
    agent.admit('b');
  });

  it('is not limited again when it is repeated with the nonce of its challenge, unless it costs nothing', async () => {
    const { agent } = hosting({ skills: [aSkill()], rateLimits: { per_ip_per_day: 1 } });
    agent.admit('a');
    agent.admit('a', 'challenged');
    expect(() => agent.admit('a', 'made-up')).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
    const { request } = aRequest({ payer: { address: 'a', nonce: 'challenged' } });
    await expect(agent.call('count', {}, request)).rejects.toMatchObject({ code: 'too_many_requests' });
  });
});

describe('a call without a price', () => {
  it('runs its skill with its checked input and who calls', async () => {
    const { skill, calls } = recorded();
    const { agent, served } = hosting({ skills: [skill] });
    const { request } = aRequest({ session: 's', payer: { address: '10.0.0.1', pubkey: 'key' } as never });
    expect(await agent.call('count', { folder: 'src' }, request)).toEqual({
      status: 200,
      body: { files: 3 },
      headers: {},
    });
    expect(calls).toMatchObject([{ input: { folder: 'src' } }]);
    const { recordedAs, ...call } = (calls[0] as { call: SkillCall }).call;
    expect(call).toEqual({
      ...{ signal: request.signal, mode: null, address: '10.0.0.1', caller: CALLER, pubkey: 'key', session: 's' },
    });
    expect([typeof recordedAs, served]).toEqual(['function', []]);
  });

  it('has no key and no session where there is none', async () => {
    const { skill, calls } = recorded();
    await hosting({ skills: [skill] }).agent.call('count', {}, aRequest().request);
    expect(Object.keys(calls[0]?.call ?? {}).sort()).toEqual(['address', 'caller', 'mode', 'recordedAs', 'signal']);
  });

  it('with an invalid input does not run', async () => {
    const { skill, calls } = recorded({}, { input_schema: { type: 'object', required: ['folder'] } });
    const { agent } = hosting({ skills: [skill] });
    await expect(agent.call('count', {}, aRequest().request)).rejects.toMatchObject({ code: 'bad_request' });
    expect(calls).toEqual([]);
  });

  it('that fails unexpectedly is reported, and told without the reason', async () => {
    const { agent, failures } = hosting({ skills: [recorded(new Error('broken pipe')).skill] });
    await expect(agent.call('count', {}, aRequest().request)).rejects.toMatchObject({
      code: 'overloaded',
      message: 'The skill count failed. Nothing is owed for it; try again later.',
      cause: expect.objectContaining({ message: 'broken pipe' }),
    });
    expect(failures).toEqual(['count broken pipe']);
  });

  it('that is refused by its skill has that error', async () => {
    const refused = new MeshError('member_gone', 'It left.');
    const { agent, failures } = hosting({ skills: [recorded(refused).skill] });
    await expect(agent.call('count', {}, aRequest().request)).rejects.toBe(refused);
    expect(failures).toEqual([]);
  });
});

describe('a call with a price', () => {
  it('is settled by the processor, with the prices and who pays', async () => {
    const max = { ...IN_LAMPORTS, tier: 'max' };
    const { skill, calls } = recorded(undefined, {}, [max]);
    const { agent, served } = hosting({ skills: [skill], payment: X402 });
    const { request, gone } = aRequest();
    gone.abort();
    const answer = await agent.call('count', { tier: 'max' }, request);
    expect(answer).toEqual({ status: 200, body: { files: 3 }, headers: { 'x-paid': 'yes' } });
    expect(served).toEqual([
      {
        ...{ agent: 'lamp', skill: 'count', prices: [max], payment: X402, tier: 'max', requestSha256: 'digest' },
        payer: request.payer,
      },
    ]);
    expect(calls[0]?.call).toMatchObject({ mode: 'x402', tier: 'max' });
    // Who has paid can ask again with the same proof.
    expect(calls[0]?.call.signal.aborted).toBe(false);
  });

  it('has no tier where none was named', async () => {
    const { skill, calls } = recorded(undefined, {}, [IN_LAMPORTS]);
    const { agent, served } = hosting({ skills: [skill], payment: X402 });
    await agent.call('count', {}, aRequest().request);
    expect(served[0]).not.toHaveProperty('tier');
    expect(calls[0]?.call).not.toHaveProperty('tier');
  });

  it('of a free tier is not settled', async () => {
    const prices = [
      { ...IN_LAMPORTS, tier: 'max' },
      { ...FOR_FREE, tier: 'mini' },
    ];
    const { agent, served } = hosting({ skills: [recorded(undefined, {}, prices).skill], payment: X402 });
    await agent.call('count', { tier: 'mini' }, aRequest().request);
    expect(served).toEqual([]);
  });
});

describe('the time limit of a skill', () => {
  const slow = (seen: AbortSignal[] = []) =>
    aSkill({}, [], (_input, { signal }) => {
      seen.push(signal);
      return new Promise(() => undefined);
    });

  it('ends the call, and tells the skill', async () => {
    const seen: AbortSignal[] = [];
    const { agent, clock } = hosting({ skills: [slow(seen)], deadlineSeconds: 5 });
    const calling = agent.call('count', {}, aRequest().request);
    calling.catch(() => undefined);
    await new Promise(setImmediate);
    clock.advance(4_999);
    expect(seen[0]?.aborted).toBe(false);
    clock.advance(1);
    await expect(calling).rejects.toMatchObject({
      ...{ code: 'deadline', message: 'The skill count took longer than 5 s.' },
    });
    expect([seen[0]?.aborted, clock.pending]).toEqual([true, 0]);
  });

  it('is over with the call, and the skill hears of a caller that is gone', async () => {
    const seen: AbortSignal[] = [];
    const { agent, clock } = hosting({ skills: [recorded().skill, { ...slow(seen), id: 'slow' }], deadlineSeconds: 5 });
    await agent.call('count', {}, aRequest().request);
    expect(clock.pending).toBe(0);
    const { request, gone } = aRequest();
    agent.call('slow', {}, request).catch(() => undefined);
    await new Promise(setImmediate);
    gone.abort();
    expect(seen[0]?.aborted).toBe(true);
  });

  it('does not exist where none is set', async () => {
    const { agent, clock } = hosting({ skills: [slow()] });
    agent.call('count', {}, aRequest().request).catch(() => undefined);
    await new Promise(setImmediate);
    expect(clock.pending).toBe(0);
  });
});

describe('a task', () => {
  const text = (value: string, metadata?: Record<string, unknown>) => ({
    message: { parts: [{ type: 'text', text: value }] },
    ...(metadata && { metadata }),
  });
  const noTasks = { read: () => Promise.reject(new Error('None.')) };

  it('calls the skill that it names, in any spelling, or the first one', () => {
    const { agent } = hosting({ skills: [aSkill(), aSkill({ id: 'other' })] });
    const named = (metadata?: Record<string, unknown>) => agent.taskSkill(text('x', metadata)).id;
    for (const key of ['skill', 'skill_id', 'skillId']) expect(named({ [key]: 'other' })).toBe('other');
    expect([named({ skill: 'other', skill_id: 'count' }), named({ skill_id: 'other', skillId: 'count' })]).toEqual([
      ...['other', 'other'],
    ]);
    expect([named(), named({}), named({ skill: 7 })]).toEqual(['count', 'count', 'count']);
    expect(() => named({ skill: 'x' })).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => hosting({ skills: [] }).agent.taskSkill(text('x'))).toThrow('This agent has no skill.');
  });

  it('of a skill without a price is the one that was started', async () => {
    const task = { id: 'req-1' } as HostedTask;
    const started: unknown[] = [];
    const start: AgentSpec['tasks']['start'] = async (skill, input, { mode, session, signal, recordedAs }) => {
      recordedAs('req-1');
      started.push([skill.id, input, mode, session, signal.aborted]);
      return task;
    };
    const { agent } = hosting({ tasks: { ...noTasks, start } });
    const answer = await agent.sendTask({ ...text('Why?'), sessionId: 's' }, aRequest().request);
    expect(answer).toEqual({ status: 200, body: task, headers: {} });
    expect(started).toEqual([['count', { text: 'Why?' }, null, 's', false]]);
  });

  it('of a skill that is not started runs it, and is kept with the id of its request', async () => {
    const kept: HostedTask[] = [];
    const tasks = { ...noTasks, start: () => undefined, keep: (task: HostedTask) => void kept.push(task) };
    const { skill, calls } = recorded({ result_text: 'Three.' });
    const { agent } = hosting({ skills: [skill], tasks });
    const { body } = await agent.sendTask({ ...text('Why?'), sessionId: 's' }, aRequest().request);
    expect(body).toEqual({
      ...{ id: 'req-1', kind: 'task', sessionId: 's', metadata: { skill: 'count' } },
      status: { state: 'completed', timestamp: '2026-11-21T12:00:00.000Z' },
      artifacts: [
        {
          ...{ index: 0, name: 'answer' },
          parts: [
            { type: 'text', kind: 'text', text: 'Three.' },
            { type: 'data', kind: 'data', data: { result_text: 'Three.' } },
          ],
        },
      ],
    });
    expect(kept).toEqual([body]);
    expect(calls[0]?.call.session).toBe('s');
    expect((await agent.sendTask(text('Why?'), aRequest().request)).body).not.toHaveProperty('sessionId');
  });

  it('of a skill with a price is not started but settled', async () => {
    const start = () => Promise.reject(new Error('It was started.'));
    const { skill } = recorded(undefined, {}, [IN_LAMPORTS]);
    const { agent, served } = hosting({ skills: [skill], payment: X402, tasks: { ...noTasks, start } });
    const { headers, body } = await agent.sendTask(text('Why?'), aRequest().request);
    expect([headers, served.length, (body as HostedTask).id]).toEqual([{ 'x-paid': 'yes' }, 1, 'req-1']);
  });

  it('is read by its id', async () => {
    const read = async (id: string) => ({ id }) as HostedTask;
    expect(await hosting({ tasks: { start: () => undefined, read } }).agent.task('req-1')).toEqual({ id: 'req-1' });
  });
});

describe('deposits', () => {
  it('are opened and read with the declaration of the agent', async () => {
    const { agent } = hosting({ payment: DEPOSITS });
    const key = { scope: 's', key: 'k', body_sha256: 'x' };
    expect(await agent.topup(7, key)).toEqual(['lamp', DEPOSITS, 7, key]);
    expect(await agent.balance('tk_x')).toEqual(['lamp', DEPOSITS, 'tk_x']);
  });

  it.each([undefined, X402])('are refused where the agent takes none: %#', (payment) => {
    const { agent } = hosting(payment && { payment });
    const refused = { code: 'not_found', message: 'This agent takes no deposits: its card says how it is paid.' };
    expect(() => agent.topup(7, undefined)).toThrow(expect.objectContaining(refused));
    expect(() => agent.balance('x')).toThrow(expect.objectContaining(refused));
  });
});

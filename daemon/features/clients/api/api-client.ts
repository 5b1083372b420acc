import { setMaxListeners } from 'node:events';
import { systemCode } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { Client, Decide, Turn, TurnEvent } from '../client.js';
import type { RunPlace } from '../permission-detail.js';
import { type ApiConfiguration, type ApiSettings, isOnThisMachine } from './api-settings.js';
import { changingTools, type EditableProject, type RunCommand } from './changing-tools.js';
import { effortLevels, effortOptions } from './effort.js';
import { EndpointConnection } from './endpoint-connection.js';
import { failureMessage } from './failure.js';
import { openModel } from './language-model.js';
import { createPrompt } from './prompt.js';
import { type ReadableProject, readingTools } from './reading-tools.js';
import { openTeamTools } from './team-tools.js';
import { ToolRuns } from './tool-runs.js';
import { turnEvents } from './turn-events.js';

const STRONGEST = 'strongest';
const RETRIES = 2;
const PROBE_MS = 1_500;
const MODELS_MAX = 100;
const LAST_STEP = 'This is your last step: use no tool now, and answer from what you have read.';

/** A folder in which members work. */
interface ApiFolder {
  project: ReadableProject & EditableProject & { forOutside(): ReadableProject };
  /** Where `runCommand` runs, for display. */
  place: RunPlace;
  /** Runs the commands of members with the `execute` tool. Without it that tool does not exist. */
  runCommand?: RunCommand;
}

interface ApiClientParts extends ApiFolder {
  /** Opens another folder than the project's. Turns that name one are refused without it. */
  openFolder?: (folder: string, environment: Readonly<Record<string, string>>) => ApiFolder;

  /** Returned by `apiSettings`. It is the machine's own configuration and never depends on a repository. */
  configuration: ApiConfiguration;
  clock: Clock;
  /** Retries of a request that failed before its response began; default 2. */
  retries?: number;
}

/**
 * Runs members on a model behind Anthropic's Messages API or any OpenAI-compatible endpoint, with tools over the
 * project. A turn takes at most `limits.turns` steps. Only the configured endpoint is called.
 */
export class ApiClient implements Client {
  readonly name = 'api';
  private found: readonly string[] = [];

  constructor(private readonly parts: ApiClientParts) {}

  /**
   * Reports ready when settings exist; an endpoint on this machine must also respond. Remote endpoints are not called.
   */
  async probe(): Promise<{ ready: boolean; reason: string | null }> {
    const { configuration } = this.parts;
    if ('problem' in configuration) return { ready: false, reason: configuration.problem };
    const { settings } = configuration;
    if (!isOnThisMachine(settings.baseUrl)) return { ready: true, reason: null };
    try {
      this.found = await this.modelsAt(settings);
      return { ready: true, reason: null };
    } catch (error) {
      return { ready: false, reason: failureMessage(error, settings, settings.models[0] ?? STRONGEST) };
    }
  }

  /**
   * The configured models, then those that an endpoint on this machine listed at the last probe, `MODELS_MAX` at most.
   */
  models(): readonly string[] {
    const { configuration } = this.parts;
    return 'problem' in configuration
      ? []
      : [...new Set([...configuration.settings.models, ...this.found])].slice(0, MODELS_MAX);
  }

  /** The effort levels of the first configured model. Other models use their default for an unsupported level. */
  efforts(): readonly string[] {
    const { configuration } = this.parts;
    return 'problem' in configuration
      ? []
      : effortLevels(configuration.settings.provider, configuration.settings.models[0] ?? '');
  }

  async *run(turn: Turn, signal: AbortSignal, decide: Decide): AsyncGenerator<TurnEvent, void, void> {
    signal.throwIfAborted();
    const { configuration, clock, retries = RETRIES } = this.parts;
    if ('problem' in configuration) throw new Error(`Client \`api\` is not configured: ${configuration.problem}`);
    const { settings } = configuration;
    const name = turn.member.model === STRONGEST ? (settings.models[0] ?? STRONGEST) : turn.member.model;
    // Ends the run also when the consumer stops reading events, not only when the signal fires.
    const stopped = new AbortController();
    const either = AbortSignal.any([signal, stopped.signal]);
    // Every tool call of a step adds a listener, and a step may have many calls.
    setMaxListeners(0, either);
    const runs = new ToolRuns(clock);
    const connection = new EndpointConnection(settings.baseUrl);
    let closeTools: () => void = () => undefined;
    try {
      const { project, place, runCommand } = this.folderOf(turn);
      const effort = effortOptions(settings.provider, name, turn.member.effort);
      const { stream, model, providerOptions, stopAfter, toolSet, prepared } = await openModel(
        settings,
        name,
        effort,
        connection.fetch,
      );
      const readable = turn.profile === 'outside' ? project.forOutside() : project;
      const team = await openTeamTools(turn, decide, either);
      closeTools = team.close;
      const changing = changingTools(turn, decide, project, runCommand, place);
      const tools = [...readingTools(readable), ...changing, ...team.tools];
      const { system, messages } = createPrompt(turn);
      const steps = turn.member.limits.turns;
      const { fullStream } = stream({
        model,
        system,
        messages,
        tools: toolSet(tools, (tool, input, toolSignal) => runs.run(tool, input, toolSignal)),
        providerOptions,
        maxRetries: retries,
        abortSignal: either,
        stopWhen: stopAfter(steps),
        prepareStep: ({ stepNumber, messages: sent }) => ({
          messages: prepared(sent),
          ...(stepNumber === steps - 1 ? { system: `${system}\n\n${LAST_STEP}`, toolChoice: 'none' as const } : {}),
        }),
        // Errors arrive in the stream. Without this the SDK writes them, with the whole request, to the console.
        onError: () => undefined,
      });
      yield* turnEvents(fullStream, { tools, runs });
      either.throwIfAborted();
      yield { type: 'end', citations: [] };
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(failureMessage(error, settings, name));
    } finally {
      stopped.abort();
      connection.close();
      closeTools();
      await runs.ended();
    }
  }

  private folderOf({ profile, folder, environment = {} }: Turn): ApiFolder {
    if (profile === 'outside' || folder === undefined || folder === this.parts.place.root) return this.parts;
    const opened = this.parts.openFolder?.(folder, environment);
    if (!opened) throw new Error('This client works in the project folder only.');
    return opened;
  }

  private async modelsAt({ baseUrl, provider, apiKey }: ApiSettings): Promise<string[]> {
    const late = new AbortController();
    const connection = new EndpointConnection(baseUrl);
    const callOff = this.parts.clock.after(PROBE_MS, () =>
      late.abort(Object.assign(new Error('late'), { code: 'ETIMEDOUT' })),
    );
    try {
      const key: Record<string, string> =
        apiKey === undefined
          ? {}
          : provider === 'anthropic'
            ? { 'x-api-key': apiKey }
            : { authorization: `Bearer ${apiKey}` };
      const response = await connection.fetch(`${baseUrl}/models`, { headers: key, signal: late.signal });
      const text = await response.text();
      if (response.ok) return modelsIn(text);
      // Not every compatible server lists its models. Any response proves that the endpoint is reachable.
      if (response.status === 404 || response.status === 405) return [];
      throw Object.assign(new Error('refused'), { statusCode: response.status, responseBody: text });
    } catch (error) {
      throw systemCode(late.signal.reason) === 'ETIMEDOUT' ? late.signal.reason : error;
    } finally {
      callOff();
      connection.close();
    }
  }
}

function modelsIn(text: string): string[] {
  try {
    const { data } = JSON.parse(text) as { data?: unknown };
    const ids = Array.isArray(data) ? data.map((model: { id?: unknown } | null) => model?.id) : [];
    return ids.filter((id): id is string => typeof id === 'string' && id !== '' && id.length <= 200);
  } catch {
    // The server may not be a model endpoint at all. The first run reports that.
    return [];
  }
}

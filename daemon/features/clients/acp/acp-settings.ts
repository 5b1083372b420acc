import { type JsonObject, toList, toObject, toText } from '../agent-program-json.js';

/** One setting of a session: the values it offers, their display names, and the request that sets it. */
export interface AcpSetting {
  values: readonly string[];
  names: Readonly<Record<string, string>>;
  request(value: string): { method: string; params: Record<string, unknown> };
}

interface Offered {
  value: string;
  name: string;
}

/** The settings that a session offers, as config options or through the older models and modes interface. */
export class AcpSettings {
  constructor(
    private readonly sessionId: string,
    private readonly opened: JsonObject,
  ) {}

  get model(): AcpSetting | undefined {
    return this.option('model') ?? this.older('models', 'availableModels', 'modelId', 'session/set_model');
  }

  get mode(): AcpSetting | undefined {
    return this.option('mode') ?? this.older('modes', 'availableModes', 'id', 'session/set_mode', 'modeId');
  }

  get effort(): AcpSetting | undefined {
    return this.option('thought_level');
  }

  private option(category: string): AcpSetting | undefined {
    const options = toList(this.opened['configOptions'])
      .map(toObject)
      .filter(({ type }) => type === 'select');
    const found =
      options.find((option) => option['category'] === category) ?? options.find(({ id }) => id === category);
    if (!found) return undefined;
    // Values may be nested in groups.
    const flat = toList(found['options'])
      .map(toObject)
      .flatMap((one) => ('options' in one ? toList(one['options']).map(toObject) : [one]));
    const offered = flat.map(({ value, name }) => ({ value: toText(value), name: toText(name) }));
    const configId = toText(found['id']);
    return this.setting(offered, 'session/set_config_option', (value) => ({ configId, value }));
  }

  private older(field: string, list: string, id: string, method: string, param = id): AcpSetting | undefined {
    const offered = toList(toObject(this.opened[field])[list]).map(toObject);
    if (offered.length === 0) return undefined;
    return this.setting(
      offered.map((one) => ({ value: toText(one[id]), name: toText(one['name']) })),
      method,
      (value) => ({ [param]: value }),
    );
  }

  private setting(
    offered: readonly Offered[],
    method: string,
    params: (value: string) => Record<string, unknown>,
  ): AcpSetting {
    return {
      values: offered.map(({ value }) => value),
      names: Object.fromEntries(offered.map(({ value, name }) => [value, name])),
      request: (value) => ({ method, params: { sessionId: this.sessionId, ...params(value) } }),
    };
  }
}

const READ_ONLY = /^(plan|read-?only|ask)$/i;

/**
 * Returns the mode in which the agent declares that it changes nothing. Of an id with `#` or `/`, the last part counts.
 */
export function readOnlyMode(setting: AcpSetting | undefined): string | undefined {
  return setting?.values.find((value) => READ_ONLY.test(value.split(/[#/]/).at(-1) ?? ''));
}

/** Returns the value that `asked` names: exactly, by its display name, or by an unambiguous last path segment. */
export function findValue(setting: AcpSetting, asked: string): string | undefined {
  const exact = setting.values.find((value) => value === asked || setting.names[value] === asked);
  if (exact !== undefined) return exact;
  const ending = setting.values.filter((value) => value.split('/').at(-1) === asked);
  return ending.length === 1 ? ending[0] : undefined;
}

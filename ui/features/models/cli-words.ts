import type { ClientChoice } from '../../../daemon/contract/clients.js';

const quoted = (text: string) => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The words after `meshd clients test` or `use` for the same choice. A key is never among them. */
export function cliWords({ way, program, provider, base_url, model, api_key, port }: ClientChoice): string {
  return [
    way === 'program' ? program : way,
    provider && `--provider ${provider}`,
    base_url && `--url ${quoted(base_url)}`,
    model && `--model ${quoted(model)}`,
    api_key && '--with-key',
    port && `--ollama-port ${port}`,
  ]
    .filter(Boolean)
    .join(' ');
}

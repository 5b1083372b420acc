import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AgentProgramName, ClientChoice, ClientSetup } from '../../../daemon/contract/clients.js';
import { Button } from '../../components/button.js';
import { ChoiceField, SelectField, TextField } from '../../components/field.js';
import { Section } from '../../components/section.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './models.module.css';
import { ollamaQuery } from './models-queries.js';
import { TestAndUse } from './test-and-use.js';

const OLLAMA_PORT = 11_434;
const NAMES: Record<AgentProgramName, string> = {
  claude: 'Claude Code',
  gemini: 'Gemini CLI',
  opencode: 'OpenCode',
  'claude-agent-acp': 'Claude Agent over ACP',
  'codex-acp': 'Codex over ACP',
};

/** An agent program that is on this machine. */
export function ProgramWay({ setup, onLookAgain }: { setup: ClientSetup; onLookAgain: () => void }) {
  const { programs } = setup;
  const [picked, setPicked] = useState<AgentProgramName>();
  const found = programs.filter((one) => one.found);
  const program = picked ?? (found.find(({ chosen }) => chosen) ?? found[0])?.program;
  return (
    <Section
      title="A program on this machine"
      count={`${found.length} found`}
      actions={
        <Button isSmall onClick={onLookAgain}>
          Look again
        </Button>
      }
    >
      <div className={styles.way}>
        <fieldset className={styles.programs}>
          <legend className="visually-hidden">Program</legend>
          {programs.map((one) => (
            <ChoiceField
              key={one.program}
              type="radio"
              name="program"
              checked={one.program === program}
              disabled={!one.found}
              onChange={() => setPicked(one.program)}
              label={
                <>
                  {NAMES[one.program]} <code>{one.program}</code>
                </>
              }
              hint={one.found ? (one.chosen ? 'chosen' : 'found') : toDisplayText(formatProblem(one))}
            />
          ))}
        </fieldset>
        <p className="quiet small">The program uses its own login: start it once in a terminal and log in there.</p>
        {program && <TestAndUse key={program} choice={{ way: 'program', program }} missing={undefined} />}
      </div>
    </Section>
  );
}

const formatProblem = ({ problem }: ClientSetup['programs'][number]) =>
  problem?.includes('would run what') ? problem : 'not found';

/** Leaves out the fields that are empty. */
function createEndpointChoice({
  provider,
  ...typed
}: Record<'address' | 'model' | 'key', string> & {
  provider: NonNullable<ClientChoice['provider']>;
}): ClientChoice {
  const [address, model, key] = [typed.address.trim(), typed.model.trim(), typed.key.trim()];
  return {
    way: 'endpoint',
    provider,
    ...(address === '' ? {} : { base_url: address }),
    ...(model === '' ? {} : { model }),
    ...(key === '' ? {} : { api_key: key }),
  };
}

function findMissing({ provider, base_url, model }: ClientChoice): string | undefined {
  if (provider !== 'anthropic' && base_url === undefined) return 'Enter the address first.';
  return model === undefined ? 'Enter a model first.' : undefined;
}

/** A model endpoint with a key. */
export function EndpointWay({ setup: { endpoint } }: { setup: ClientSetup }) {
  const [provider, setProvider] = useState(endpoint?.provider ?? 'anthropic');
  const [address, setAddress] = useState(endpoint?.base_url ?? '');
  const [model, setModel] = useState(endpoint?.model ?? '');
  const [key, setKey] = useState('');
  const choice = createEndpointChoice({ provider, address, model, key });
  const isAnthropic = provider === 'anthropic';
  return (
    <Section title="An endpoint with a key">
      <div className={styles.way}>
        <div className={styles.fields}>
          <SelectField
            label="It speaks"
            value={provider}
            options={[
              { value: 'anthropic', label: 'Anthropic' },
              { value: 'openai-compatible', label: 'OpenAI-compatible' },
            ]}
            onChange={(event) => setProvider(event.target.value as typeof provider)}
          />
          <TextField
            label="Address"
            type="url"
            inputMode="url"
            placeholder={isAnthropic ? 'https://api.anthropic.com/v1' : 'https://api.example.com/v1'}
            maxLength={2_000}
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
          <TextField
            label="Model"
            maxLength={200}
            spellCheck={false}
            value={model}
            onChange={(event) => setModel(event.target.value)}
          />
          <TextField
            label="Key"
            type="password"
            autoComplete="off"
            maxLength={4_096}
            hint={
              endpoint?.has_key
                ? 'A key is kept for this server. Leave it empty to use that one.'
                : 'Kept in .mesh/credentials, readable by you alone, and never shown again.'
            }
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </div>
        <TestAndUse choice={choice} missing={findMissing(choice)} onUsed={() => setKey('')} />
      </div>
    </Section>
  );
}

/** Ollama on this machine. Only 127.0.0.1 is called. */
export function OllamaWay() {
  const [port, setPort] = useState(String(OLLAMA_PORT));
  const [asked, setAsked] = useState<number>();
  const [picked, setPicked] = useState<string>();
  const found = useQuery({ ...ollamaQuery(asked), enabled: asked !== undefined });
  const number = Number(port);
  const isPort = Number.isInteger(number) && number > 0 && number < 65_536;
  const models = found.data?.models ?? [];
  const model = picked !== undefined && models.includes(picked) ? picked : models[0];
  return (
    <Section title="Ollama on this machine">
      <div className={styles.way}>
        <p className="quiet small">
          Ollama may cut off long questions without saying so. More context:{' '}
          <code>OLLAMA_CONTEXT_LENGTH=64000 ollama serve</code>, or an alias of the model with{' '}
          <code>PARAMETER num_ctx 64000</code>.
        </p>
        <div className={`cluster ${styles.use}`}>
          <TextField
            label="Port on 127.0.0.1"
            inputMode="numeric"
            maxLength={5}
            value={port}
            error={isPort ? undefined : `${port || 'Nothing'} is not a port: enter 1 to 65535.`}
            onChange={(event) => setPort(event.target.value.trim())}
          />
          <Button
            isBusy={found.isFetching}
            reasonDisabled={isPort ? undefined : 'Enter a port first.'}
            onClick={() => (asked === number ? void found.refetch() : setAsked(number))}
          >
            Show models
          </Button>
        </div>
        <div role="status">
          {found.data?.reason && <p>{toDisplayText(found.data.reason)}</p>}
          {found.error && <p>{found.error.message}</p>}
        </div>
        {asked !== undefined && model !== undefined && (
          <>
            <SelectField
              label="Model"
              value={model}
              options={models}
              onChange={(event) => setPicked(event.target.value)}
            />
            <TestAndUse
              choice={{ way: 'ollama', model, ...(asked === OLLAMA_PORT ? {} : { port: asked }) }}
              missing={undefined}
            />
          </>
        )}
      </div>
    </Section>
  );
}

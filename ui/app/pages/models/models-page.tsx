import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ClientSetup } from '../../../../daemon/contract/clients.js';
import { Button } from '../../../components/button.js';
import { Loaded } from '../../../components/loaded.js';
import { Notice } from '../../../components/notes.js';
import { PageHead } from '../../../components/section.js';
import { ErrorPanel } from '../../../components/states.js';
import { setupQuery, useForgetModel } from '../../../features/models/models-queries.js';
import { EndpointWay, OllamaWay, ProgramWay } from '../../../features/models/ways.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { usePageTitle } from '../../page-title.js';

/** The guided set-up of what runs the members: three ways, each with a test. */
export function ModelsPage() {
  const setup = useQuery(setupQuery());
  usePageTitle('Connect a model');
  return (
    <>
      <PageHead
        title="Connect a model"
        lede="Members edit, work on tasks and talk with a model. Choose one of three ways, test it, and use it for all members or for one."
      />
      <Loaded query={setup} what="The clients could not be read." rows={8}>
        {(data) => (
          <>
            <Current setup={data} />
            <ProgramWay setup={data} onLookAgain={() => void setup.refetch()} />
            <EndpointWay setup={data} />
            <OllamaWay />
          </>
        )}
      </Loaded>
    </>
  );
}

function Current({ setup }: { setup: ClientSetup }) {
  const forget = useForgetModel();
  const { model_connected, auto, endpoint, programs } = setup;
  const isChosen = endpoint !== null || programs.some(({ chosen }) => chosen);
  return (
    <Notice tone={model_connected ? 'well' : 'info'}>
      <p>
        <strong>
          {!model_connected
            ? 'No model connected: search only.'
            : auto === 'builtin'
              ? 'A model is connected for members that name it.'
              : `Members on auto run on ${auto}.`}
        </strong>{' '}
        {endpoint && (
          <>
            Endpoint {toDisplayText(endpoint.base_url)}, {toDisplayText(endpoint.model)}
            {endpoint.has_key ? ', with a kept key.' : '.'}{' '}
          </>
        )}
        <Link to="/system">All clients</Link>
      </p>
      {isChosen && (
        <Button isSmall isBusy={forget.isPending} onClick={() => forget.mutate(undefined)}>
          {endpoint?.has_key ? 'Forget the choice and the key' : 'Forget the choice'}
        </Button>
      )}
      {forget.error && <ErrorPanel what="It was not forgotten." error={forget.error} />}
    </Notice>
  );
}

import { Type } from 'typebox';
import {
  ClientChoice,
  type ClientList,
  type ClientSetup as ClientSetupView,
  type ClientTest,
  ClientUse,
  type OllamaModels,
  OllamaQuery,
} from '../../../contract/clients.js';
import type { App } from '../../../http/route-types.js';
import type { Clients } from '../clients.js';
import type { ClientSetup } from './client-setup.js';
import type { ClientTests } from './client-tests.js';

interface ClientsRoutesParts {
  clients: Clients;
  setup: ClientSetup;
  tests: ClientTests;
}

const TestId = Type.Object({ test: Type.String({ maxLength: 64 }) });
const tags = ['system'];

/** The clients of this machine, and the choice and test of what runs the members. */
export async function clientsRoutes(app: App, { clients, setup, tests }: ClientsRoutesParts): Promise<void> {
  app.get(
    '/clients',
    { schema: { summary: 'Clients on this machine', tags, response: { 200: Type.Ref('ClientList') } } },
    (): Promise<ClientList> => clients.list(),
  );

  app.get(
    '/clients/setup',
    {
      schema: {
        summary: 'Ways to connect a model on this machine, and what was chosen',
        tags,
        response: { 200: Type.Ref('ClientSetup') },
      },
    },
    (): Promise<ClientSetupView> => setup.view(),
  );

  app.put<{ Body: ClientUse }>(
    '/clients/setup',
    {
      schema: {
        summary: 'Use a model for all members or for one',
        tags,
        body: ClientUse,
        response: { 200: Type.Ref('ClientSetup') },
      },
    },
    (request): Promise<ClientSetupView> => setup.use(request.body),
  );

  app.delete(
    '/clients/setup',
    {
      schema: { summary: 'Forget the chosen model and its key', tags, response: { 200: Type.Ref('ClientSetup') } },
    },
    (): Promise<ClientSetupView> => setup.forget(),
  );

  app.get<{ Querystring: OllamaQuery }>(
    '/clients/ollama',
    {
      schema: {
        summary: 'Models of Ollama on this machine',
        tags,
        querystring: OllamaQuery,
        response: { 200: Type.Ref('OllamaModels') },
      },
    },
    (request): Promise<OllamaModels> => setup.listOllama(request.query.port),
  );

  addTestRoutes(app, setup, tests);
}

function addTestRoutes(app: App, setup: ClientSetup, tests: ClientTests): void {
  app.post<{ Body: ClientChoice }>(
    '/clients/tests',
    {
      schema: {
        summary: 'Test a model with one short turn, without saving the choice',
        tags,
        body: ClientChoice,
        response: { 202: Type.Ref('ClientTest') },
      },
    },
    async (request, reply): Promise<ClientTest> => {
      const test = await setup.test(request.body);
      void reply.code(202);
      return test;
    },
  );

  app.get<{ Params: { test: string } }>(
    '/clients/tests/:test',
    { schema: { summary: 'Progress of a test', tags, params: TestId, response: { 200: Type.Ref('ClientTest') } } },
    async (request): Promise<ClientTest> => tests.get(request.params.test),
  );

  app.delete<{ Params: { test: string } }>(
    '/clients/tests/:test',
    { schema: { summary: 'Stop a test', tags, params: TestId, response: { 200: Type.Ref('ClientTest') } } },
    (request): Promise<ClientTest> => tests.cancel(request.params.test),
  );
}

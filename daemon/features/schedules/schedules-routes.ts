import { Type } from 'typebox';
import {
  NewSchedule,
  type Schedule,
  type ScheduleDeleted,
  type ScheduleList,
  SchedulePatch,
  type SchedulePreview,
  SchedulePreviewQuery,
  SchedulesQuery,
} from '../../contract/work/schedules.js';
import type { App } from '../../http/route-types.js';
import type { ScheduleRunner } from './schedule-runner.js';
import type { Schedules } from './schedules.js';

const tags = ['schedules'];
const one = { 200: Type.Ref('Schedule') };

type Id = { Params: { id: string } };

interface SchedulesRoutesParts {
  schedules: Schedules;
  runner: Pick<ScheduleRunner, 'runNow'>;
}

/** The routes of schedules, for the operator. */
export async function schedulesRoutes(app: App, { schedules, runner }: SchedulesRoutesParts): Promise<void> {
  addCollectionRoutes(app, schedules);
  addScheduleRoutes(app, schedules, runner);
}

function addCollectionRoutes(app: App, schedules: Schedules): void {
  app.get<{ Querystring: SchedulesQuery }>(
    '/schedules',
    {
      schema: {
        summary: 'Schedules, with their next and last runs',
        tags,
        querystring: SchedulesQuery,
        response: { 200: Type.Ref('ScheduleList') },
      },
    },
    async (request): Promise<ScheduleList> => schedules.list(request.query),
  );

  app.post<{ Body: NewSchedule }>(
    '/schedules',
    { schema: { summary: 'Add a schedule', tags, body: NewSchedule, response: { 201: Type.Ref('Schedule') } } },
    async (request, reply) => reply.code(201).send(await schedules.create(request.body)),
  );

  app.get<{ Querystring: SchedulePreviewQuery }>(
    '/schedules/preview',
    {
      schema: {
        summary: 'The next times of a cron expression',
        tags,
        querystring: SchedulePreviewQuery,
        response: { 200: Type.Ref('SchedulePreview') },
      },
    },
    async (request): Promise<SchedulePreview> => schedules.preview(request.query),
  );
}

function addScheduleRoutes(app: App, schedules: Schedules, runner: Pick<ScheduleRunner, 'runNow'>): void {
  app.get<Id>(
    '/schedules/:id',
    { schema: { summary: 'One schedule', tags, response: one } },
    async (request): Promise<Schedule> => schedules.get(request.params.id),
  );

  app.patch<Id & { Body: SchedulePatch }>(
    '/schedules/:id',
    { schema: { summary: 'Change, pause or resume a schedule', tags, body: SchedulePatch, response: one } },
    (request): Promise<Schedule> => schedules.patch(request.params.id, request.body),
  );

  app.delete<Id>(
    '/schedules/:id',
    { schema: { summary: 'Delete a schedule', tags, response: { 200: Type.Ref('ScheduleDeleted') } } },
    async (request): Promise<ScheduleDeleted> => {
      await schedules.remove(request.params.id);
      return { ok: true, deleted: request.params.id };
    },
  );

  app.post<Id>(
    '/schedules/:id/run',
    { schema: { summary: 'Begin a run now', tags, response: { 202: Type.Ref('ScheduleRun') } } },
    async (request, reply) => reply.code(202).send(await runner.runNow(request.params.id)),
  );
}

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerError } from '#contract/rest/records/envelope.ts';
import { eventMessage } from '#ingestion/testing/messages.ts';
import { damage } from '#views/testing/world.ts';
import { received } from '../../support/api.ts';
import { untilTrue } from '../../support/poll.ts';
import { System } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// The other rows of REST: services/api/contract-rows.test.ts.
test('500, server error: the replica whose views are damaged ends, and its next start rebuilds them', async () => {
  const system = await System.create({ services: ['match-processor', 'api'] });
  await system.pipeline.feed(received(eventMessage({ id: 1 }, { id: 1005, competition_id: 10 })));
  await system.output();
  const { id, secret } = await system.addClient('everything');
  const folder = temporaryFolder();
  const path = async (api: Awaited<ReturnType<typeof system.startApi>>) =>
    `/v2/events/1005?token=${await api.token(`client_id ${id} secret_key ${secret}`)}`;
  await (await system.startApi(folder)).service.stop();
  const api = await system.startApi(folder);
  const asked = await path(api);
  damage(join(folder, 'api'));
  const response = await api.get(asked);
  const body = await response.text();
  expect(response.status, body).toBe(500);
  const { error } = answerError.parse(JSON.parse(body)).api;
  expect(error).toEqual({ message: 'Server error', internal_code: 5 });
  expect(body).not.toMatch(/sql|database|malformed|\/|node/i);
  await untilTrue('the replica has ended', () => api.service.exited);
  expect(api.service.lines.join('\n')).toContain('a request failed');
  const rebuilt = await system.startApi(folder);
  expect(rebuilt.service.lines.join('\n')).toContain('"why":"it is empty"');
  expect((await rebuilt.api(await path(rebuilt))).data.competition.id).toBe(10);
});

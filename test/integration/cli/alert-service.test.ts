import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { connectionEnv } from '../../support/environment.ts';
import { health, publishHealth } from '../../support/feed-health.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';

const RULES = join(import.meta.dirname, '../../../data/alert-rules.json');

test('is ready, publishes and counts alerts as a service with ALERT_RULES_FILE', async () => {
  const pipeline = await Pipeline.create({ ...backbone(), services: ['alert-processor'] });
  const { connection } = pipeline;
  const service = startService('alert-processor', { ...connectionEnv(connection), ALERT_RULES_FILE: RULES });
  await service.ready();
  const now = Date.now();
  const times = { since: now, written_at: now };
  const stale = health({ ...times, event_id: 7, state: 'stale', reason: 'silence' });
  await publishHealth(connection, health({ ...times, valid_until: now + 3_600_000 }), stale);
  const counted = () => service.metric('touchline_stage_latency_seconds_count', 'stage="received_to_alert"');
  await untilTrue('an alert is counted', async () => (await counted()) === 1);
  const ids: string[] = [];
  await pipeline.read('alerts', ({ id }) => ids.push(id));
  expect(ids).toEqual([`trading/match_stale/7/${now}`]);
  expect(await service.stop(), service.log).toBe(0);
});

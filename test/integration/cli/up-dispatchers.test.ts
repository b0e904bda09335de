import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newSecret } from '#clients/secret.ts';
import { backbone } from '../../setup/backbone.ts';
import { CLIENTS_KEY, temporaryFolder } from '../../support/api.ts';
import { HostileReceiver, outOfOrder, unexplainedRepeats } from '../../support/hostile-receiver.ts';
import { NumberedMessages } from '../../support/numbered-messages.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { touchline, written } from '../../support/touchline.ts';
import { caFile, subscribe } from '../../support/webhooks.ts';

const WEBHOOKS = 8;
/** Far less than a session and a start: the other dispatcher was never interrupted. */
const UNINTERRUPTED_MS = 3_000;
const place = backbone();

type Line = { readonly msg: string; readonly pid: number; readonly port: number };

/** What the latest process of a log file has logged under a message. */
function latest(logs: string, label: string, message: string): Line | undefined {
  const lines = readFileSync(join(logs, `${label}.log`), 'utf8')
    .split('\n')
    .filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line).findLast(({ msg }) => msg === message);
}

async function delivering(logs: string, label: string): Promise<number> {
  const port = latest(logs, label, 'metrics and health')?.port;
  const text = await fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text());
  const [, count] = /^touchline_dispatcher_subscriptions{.*state="delivering".*} (\d+)$/m.exec(text) ?? [];
  return Number(count ?? 0);
}

test('touchline up runs two dispatchers, and the second goes on at once when the first is killed', async () => {
  const dataDir = temporaryFolder();
  const run = touchline(['up', '--replicas', 'webhook-dispatcher=2'], {
    KAFKA_BROKERS: place.brokers.join(','),
    SCHEMA_REGISTRY_URL: place.registryUrl,
    TOPIC_PREFIX: place.prefix,
    DATA_DIR: dataDir,
    CLIENTS_KEY,
    WEBHOOK_PORT: '0',
    API_PORT: '0',
    TOOLS_PORT: '0',
    DISPATCHER_PORT: '0',
    WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
    WEBHOOK_CA_FILE: await caFile(),
  });
  await written(run, 'Touchline is up');
  const logs = join(dataDir, 'logs');
  const [first, second] = ['webhook-dispatcher', 'webhook-dispatcher-2'] as const;
  const ports = [first, second].map((label) => latest(logs, label, 'POST /test-webhook-url/')?.port);
  expect(new Set(ports).size).toBe(2);

  const receivers = await Promise.all(
    Array.from({ length: WEBHOOKS }, () => HostileReceiver.start(newSecret(), 0, Math.random)),
  );
  for (const { url, secrets } of receivers) await subscribe(place, { url, secret: secrets[0] ?? '' });
  const source = new NumberedMessages(place);
  await untilTrue('both deliver', async () => {
    const counts = await Promise.all([first, second].map((label) => delivering(logs, label)));
    return counts.every((count) => count > 0) && counts.reduce((sum, count) => sum + count, 0) === WEBHOOKS;
  });
  await source.start();
  await untilTrue('all deliver', () => receivers.every(({ accepted }) => accepted.length > 3));

  const { pid } = await until('the first has named itself', () => latest(logs, first, 'metrics and health'));
  const killed = Date.now();
  process.kill(pid, 'SIGKILL');
  const after = source.published.length;
  await untilTrue('more is published', () => source.published.length > after + 20);
  const wanted = source.published.slice(0, after + 20);
  await untilTrue('all receive it', () =>
    receivers.every((receiver) => {
      const there = receiver.uuids();
      return wanted.every((uuid) => there.has(uuid));
    }),
  );
  await source.stop();
  const silences = receivers.map(({ accepted }) => {
    const times = accepted.map(({ at }) => at).filter((at) => at >= killed - 1_000);
    return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
  });
  expect(Math.min(...silences), `silences of ${silences} ms`).toBeLessThan(UNINTERRUPTED_MS);
  for (const { accepted } of receivers) {
    expect(outOfOrder(accepted)).toBeNull();
    expect(unexplainedRepeats(accepted, [killed])).toEqual([]);
  }
  await untilTrue('the first is started again', () => latest(logs, first, 'metrics and health')?.pid !== pid);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
});

/** What follows matches on a terminal while its broker is killed, and once it is back. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Kafka } from '#embedded/kafka.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { TerminalRun } from '../../support/terminal.ts';
import { TestTopics } from './topics.ts';

const NAMES = ['match-state', 'match-incidents', 'match-transitions', 'feed-health'] as const;
const SIZE = { columns: 120, rows: 20 };
/** Feed health is believed for longer than the test takes: only the broker is lost. */
const VALID_MS = 1_200_000;

const state = (version: number, home: number) => ({
  ...sampleOf('match-state'),
  event_id: 1,
  version,
  score: { home, away: 0 },
  firm: { home, away: 0 },
  guard: { safe: true, reasons: [] },
});

let kafka: Kafka;

beforeAll(async () => {
  ({ kafka } = await restartableKafka());
}, 180_000);

async function playing(): Promise<TestTopics> {
  const topics = await TestTopics.create(NAMES, 1, kafka.brokers);
  await topics.write('match-state', [{ key: '1', value: state(1, 1) }]);
  const now = Date.now();
  const alive = { state: 'alive' as const, reason: null, term: 1, written_at: now, heard_at: now };
  const record = { ...sampleOf('feed-health'), ...alive, source: 'webhook' };
  await topics.write('feed-health', [
    { key: 'webhook', value: { ...record, event_id: null, valid_until: now + VALID_MS } },
    { key: 'webhook/1', value: { ...record, event_id: 1, valid_until: null } },
  ]);
  return topics;
}

describe.each([
  {
    args: ['live'],
    score: (home: number) => new RegExp(`France {2}${home}–0 `),
    safe: /^1 live, 1 safe/,
    lost: /^1 live, 0 safe/,
    why: /halted: no word from the server/,
  },
  {
    args: ['match', '1', '--follow'],
    score: (home: number) => new RegExp(`^France - Croatia {2}${home}–0 `),
    safe: /^trading safe/,
    lost: /^trading halted/,
    why: /no word from the server/,
  },
])('touchline $args on a terminal', ({ args, score, safe, lost, why }) => {
  test('calls nothing safe while its broker is dead, and continues once it is back', async () => {
    const topics = await playing();
    const run = new TerminalRun(args, topics.env, SIZE);
    await run.shows(score(1));
    await run.shows(safe);
    await kafka.kill('SIGKILL');
    await run.shows(lost);
    await run.shows(why);
    // What was published last stays shown.
    await run.shows(score(1));
    await kafka.start();
    await run.shows(safe);
    await topics.write('match-state', [{ key: '1', value: state(2, 2) }]);
    await run.shows(score(2));
    await run.shows(safe);
    run.interrupt();
    expect(await run.ended).toBe(0);
  });
});

/** Follows matches with the package for readers while its broker starts, breaks off and comes back. */
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { eventMessage, incidentMessage, KICK_OFF } from '#ingestion/testing/messages.ts';
import { type FollowedMatches, followMatches } from '../../../libs/reader/follow.ts';
import { backbone } from '../../setup/backbone.ts';
import { received } from '../../support/api.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { DEADLINE_MS, untilTrue } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';

const EVENT = 7_000_001;
const GOALS = 5;

test('waits for its broker, tells only a program that has it, and connects again', async () => {
  const { kafka, proxy, brokers, directBrokers } = await restartableKafka();
  const { registryUrl } = backbone();
  const services = ['match-processor', 'api'] as const;
  const prefix = `reader-${randomUUID()}.`;
  const pipeline = await Pipeline.create({ brokers: directBrokers, registryUrl, prefix, services });
  pipeline.startProcessor();
  const feed = await pipeline.openFeed();
  onTestFinished(() => feed.close());
  const ut = Math.floor(Date.now() / 1000);
  const goal = (n: number, changes: Record<string, unknown>) =>
    feed.send(received(incidentMessage({ id: 10 + n, ut: ut + n }, { id: `5-${110 + n}`, ...changes })));
  await feed.send(received(eventMessage({ id: 1, ut }), incidentMessage({ id: 2, ut }, KICK_OFF)));
  await goal(1, { confirmation: 'confirmed' });
  await pipeline.settled();

  const [goals, guards, errors, warnings]: [string[], string[], unknown[], string[]] = [[], [], [], []];
  let [waits, readies] = [0, 0];
  const warned = (warning: Error): void => void warnings.push(warning.message);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const goOn = (): void => proxy.forwardTo(kafka.ports.PROXIED as number);
  // Connections are reset, as by a broker that is starting.
  proxy.forwardTo();
  const matches: FollowedMatches = await followMatches({
    brokers,
    registryUrl,
    prefix,
    on: {
      goal: ({ eventId, incidentId }) =>
        goals.push(`${incidentId} of ${matches.state(eventId) === null ? 'nothing' : 'a match'}`),
      guard: ({ eventId, reasons }) => guards.push(`${eventId}: ${reasons.join(' ')}`),
      ready: () => {
        readies += 1;
      },
      waiting: () => {
        waits += 1;
        if (readies === 0) goOn();
      },
      error: (error) => errors.push(error),
    },
  });
  onTestFinished(() => matches.close());
  expect(waits).toBeGreaterThan(0);
  expect([goals, guards]).toEqual([[], []]);
  await untilTrue('the goal is told', () => goals.length === 1, DEADLINE_MS);

  // Each changes the guard twice: under review, and no longer.
  for (let n = 2; n < GOALS; n++) {
    await goal(n, { confirmation: 'tbd' });
    await untilTrue(`goal ${n} is told`, () => goals.length === n, DEADLINE_MS);
    await goal(n, { confirmation: 'confirmed', ut: ut + 20 + n });
  }
  await untilTrue('no score is under review', () =>
    matches.guard(EVENT).reasons.every((one) => one !== 'under_review'),
  );

  const before = waits;
  proxy.forwardTo();
  proxy.cut();
  await untilTrue('it waits', () => waits > before, DEADLINE_MS);
  expect(matches.guard(EVENT)).toMatchObject({ safe: false, reasons: expect.arrayContaining(['loading']) });
  goOn();
  await goal(GOALS, { confirmation: 'confirmed' });
  await untilTrue('the next goal is told', () => goals.length === GOALS, DEADLINE_MS);
  await untilTrue('it is ready again', () => readies === 2, DEADLINE_MS);
  expect(goals).toEqual(Array.from({ length: GOALS }, (_, n) => `5-${111 + n} of a match`));
  expect(guards.filter((guard) => guard.includes('behind'))).toEqual([]);
  expect([errors, warnings]).toEqual([[], []]);
});

import { expect, test } from 'vitest';
import { eventMessage, incidentMessage, KICK_OFF, participantRecords } from '#ingestion/testing/messages.ts';
import { received } from '../../support/api.ts';
import { untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { System } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { essence } from './essence.ts';

const EVENT = 7_000_001;
/** Time of the match's messages, Unix seconds: long ago, so that its new messages are late. */
const PUBLISHED = 1_790_000_000;
const over = (home: number, away: number) => ({
  status_id: 11,
  status_type: 'finished',
  clock_status: 'stopped',
  verified_result: 'yes',
  participants: participantRecords(home, away),
});

test('applies a correction that the feed publishes before the lists, though the match was verified', async () => {
  const [a, b] = await Promise.all([
    System.create({ services: ['match-processor', 'api'] }),
    System.create({ services: ['match-processor', 'feed-poller'] }),
  ]);
  const publish = (...messages: readonly unknown[]): Promise<void> => a.pipeline.feed(received(...messages));
  await publish(
    incidentMessage({ id: 1 }, KICK_OFF),
    incidentMessage({ id: 2 }, { id: '5-110', confirmation: 'confirmed' }),
    incidentMessage({ id: 3 }, { id: '5-120', confirmation: 'confirmed', event_time: '44:00' }),
    eventMessage({ id: 4, ut: PUBLISHED + 7_000 }, over(2, 0)),
  );
  const publishedAt = Date.now() / 1000;
  // The api is ready once it has all current records, so its lists do not lag behind them.
  await a.output();
  const [client, api] = await Promise.all([a.addClient('b'), a.startApi(temporaryFolder())]);
  const startPoller = async (settleSeconds: number): Promise<TestService> => {
    const poller = b.startPoller(
      { url: api.url, client },
      {
        FOLLOW_SEASONS: '25528',
        FEED_SETTLE_SECONDS: String(settleSeconds),
        FEED_INITIAL_SECONDS: '600',
      },
    );
    await poller.ready();
    return poller;
  };
  const checkpointed = (resource: string, since: number): Promise<void> =>
    untilTrue(`${resource} is after ${since}`, async () => {
      let position = 0;
      await b.pipeline.read('poller-checkpoints', (one) => {
        if (one.resource === resource) position = one.position;
      });
      return position > since;
    });
  const first = await startPoller(1);
  await checkpointed(`finished/${EVENT}`, 0);
  await checkpointed('feed', publishedAt);
  await first.stop();
  expect((await b.output()).states.get(EVENT)?.score).toEqual({ home: 2, away: 0 });
  // The match is verified for this poller. The lists may lag behind for as long as the test takes on a busy machine.
  const poller = await startPoller(600);

  // The api has the message at once, but the resulting state only after the processor has processed it.
  a.processor.signal('SIGSTOP');
  await publish(
    incidentMessage(
      { id: 5, ut: PUBLISHED + 7_060 },
      { id: '5-110', action: 'delete', confirmation: 'confirmed' },
      over(1, 1),
    ),
    incidentMessage(
      { id: 6, ut: PUBLISHED + 7_060 },
      { id: '5-130', confirmation: 'confirmed', participant_id: 102 },
      over(1, 1),
    ),
  );
  const heard = async (): Promise<boolean> => {
    const ids: string[] = [];
    await b.pipeline.read('normalized-messages', ({ message_id }) => ids.push(message_id));
    return ids.includes('5') && ids.includes('6');
  };
  await untilTrue('the poller has it', heard);
  const asked = await poller.metric('touchline_poller_requests_total');
  // Waits until the poller has checked the match by a list without the correction.
  await untilTrue(
    'it went on reading',
    async () => (await poller.metric('touchline_poller_requests_total')) > asked + 6,
  );
  a.processor.signal('SIGCONT');
  const wanted = essence(await a.output());
  expect(wanted[EVENT]).toMatchObject({ score: { home: 1, away: 1 }, removed: ['5-110'] });
  let found: unknown;
  await untilTrue('both have the same', async () => {
    found = essence(await b.output());
    return JSON.stringify(found) === JSON.stringify(wanted);
  }).catch(() => {});
  expect(found).toEqual(wanted);
});

import { expect, test } from 'vitest';
import { applyMessage, newMatch } from '#domain/match.ts';
import { causeOf, EVENT_ID } from '#domain/testing/messages.ts';
import type { FetchedRecord, StreamClient } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import { silentLogger } from '#streams/log.ts';
import { positionRecord } from '#streams/runtime/positions.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { FakeClient } from '#streams/runtime/testing/fakes.ts';
import { formerComposerTopics } from '#topics/processors.ts';
import { FormerChanges } from './former-changes.ts';
import { codecs, HISTORY } from './testing/webhooks.ts';
import { WebhookStage } from './webhook-stage.ts';

const former = formerComposerTopics('');

/** Creates a client with the logs of the history; the first two reads of causes at `failing` fail: one may be ahead of its use. */
function clientOf(failing: number | null): StreamClient {
  const match = newMatch(EVENT_ID);
  const recordOf = (value: Buffer, offset: number): FetchedRecord => ({
    offset,
    timestamp: 0,
    key: null,
    value,
  });
  const transitions = HISTORY.flatMap(
    (message, offset) => applyMessage(match, message, causeOf(message, offset)).transitions,
  ).map((transition, offset) => recordOf(codecs['match-transitions'].encode(transition), offset));
  const producer = { id: '1', epoch: 0 };
  const stopped = positionRecord('', 0, { next: 0, topicId: 'id', inputEpoch: null, logs: {}, producer });
  const logs: Readonly<Record<string, FetchedRecord[]>> = {
    'match-transitions': transitions,
    'normalized-messages': HISTORY.map((message, at) =>
      recordOf(codecs['normalized-messages'].encode(message), at),
    ),
    'webhook-composer-positions': [recordOf(stopped.value as Buffer, 0)],
  };
  let failures = 2;
  const client: StreamClient = new FakeClient();
  return Object.assign(client, {
    logBounds: async (of: readonly { topic: string }[]) =>
      of.map(({ topic }) => ({ start: 0, end: logs[topic]?.length ?? 0 })),
    openReader: ({ topic }: { topic: string }) => ({
      topicId: async () => 'id',
      read: async (offset: number) => {
        if (topic === 'normalized-messages' && offset === failing && failures > 0) {
          failures -= 1;
          throw new StreamError('UNAVAILABLE', 'as this test wants it');
        }
        const records = (logs[topic] ?? []).slice(offset, offset + 1);
        const end = logs[topic]?.length ?? 0;
        return { records, next: offset + records.length, end, written: end, epoch: null };
      },
      close: async () => {},
    }),
  });
}

/** Composes the changes, as often as it takes. Returns the records. */
async function composed(failing: number | null): Promise<(string | undefined)[][]> {
  const now = (): number => HISTORY[0]?.received_at ?? 0;
  const stage = new WebhookStage({ codecs, topicName: (topic) => topic, now });
  const changes = new FormerChanges({
    client: clientOf(failing),
    codecs,
    former,
    causesTopic: 'normalized-messages',
    partition: 0,
    stage,
    log: silentLogger,
  });
  const collector = new RecordCollector(0);
  const next = (): Promise<boolean> => changes.next().catch(next);
  while (await next()) changes.take(collector);
  return collector.records.map(({ topic, key, value }) => [topic, String(key), value?.toString('hex')]);
}

test('composes the same when a read fails in the middle, by the state that is kept then', async () => {
  const whole = await composed(null);
  expect(whole.map(([topic]) => topic)).toContain('webhook-times');
  for (let failing = 0; failing < HISTORY.length; failing += 1)
    expect(await composed(failing)).toEqual(whole);
});

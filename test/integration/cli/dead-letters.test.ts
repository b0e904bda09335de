import { describe, expect, test } from 'vitest';
import { deadLetter, deliveryId, readDelivery } from '#ingestion/delivery.ts';
import type { DeadLetter } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { backbone } from '../../setup/backbone.ts';
import { readRecords } from '../../support/read-records.ts';
import { type CommandOutput, touchlineHere } from '../../support/touchline-here.ts';
import { TestTopics } from './topics.ts';

const RECEIVED = Date.parse('2018-07-15T15:18:14Z');
const CONTEXT = { origin: 'webhook', service: 'webhook-receiver', receivedAt: RECEIVED } as const;

/** Returns the dead letters that the receiver writes for a body. */
function given(body: string | Buffer): DeadLetter[] {
  const { deadLetters } = readDelivery(Buffer.from(body), CONTEXT);
  expect(deadLetters.length).toBeGreaterThan(0);
  return [...deadLetters];
}

/** Returns the letter of a message that was rejected without its array, and can be read. */
function readableLetter(message: object): DeadLetter[] {
  const body = Buffer.from(JSON.stringify(message));
  const fault = { code: 'not_array', reason: 'the body is not an array of messages' } as const;
  return [deadLetter(fault, 'body', body, deliveryId(body), CONTEXT)];
}

const notArray = readableLetter({
  id: 'm-24',
  type: 'event',
  ut: 1_531_670_000,
  data: { event: { id: 24, status_id: 33 } },
});
const notJson = given('{"a":');
const fromTopic: DeadLetter = {
  ...sampleOf('dead-letters'),
  id: 'c'.repeat(64),
  service: 'match-processor',
  code: 'processing_failed',
  // Not the partition of its key.
  partition: 0,
  key: Buffer.from('24'),
  value: Buffer.from([0, 1, 2, 3]),
};

async function withLetters(...letters: DeadLetter[]): Promise<TestTopics> {
  const topics = await TestTopics.create(['dead-letters', 'normalized-messages']);
  await topics.write(
    'dead-letters',
    letters.map((letter) => ({ key: letter.id, value: letter })),
  );
  return topics;
}

async function run(topics: TestTopics, ...args: string[]): Promise<CommandOutput> {
  return touchlineHere(['dead-letters', ...args], topics.env);
}

async function onTopic(topics: TestTopics, topic: 'normalized-messages'): Promise<Record<string, unknown>[]> {
  const args = ['tail', topic, '--from-beginning', '--exit-at-end', '--json'];
  const { code, out } = await touchlineHere(args, topics.env);
  expect(code).toBe(0);
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

describe('touchline dead-letters', () => {
  test('lists letters, the oldest first, each once', async () => {
    const topics = await withLetters(...notJson, fromTopic, ...notJson);
    const { code, out, err } = await run(topics, 'list');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.trimEnd().split('\n')).toEqual([
      'id            failed at                 service           code               from                      reason',
      `${notJson[0]?.id.slice(0, 12)}  2018-07-15T15:18:14.000Z  webhook-receiver  not_json           over HTTP                 the body is not valid JSON`,
      'cccccccccccc  2018-07-15T15:53:20.123Z  match-processor   processing_failed  normalized-messages/0/99  not JSON at position 3',
    ]);
    const json = (await run(topics, 'list', '--json')).out.split('\n')[0] ?? '';
    expect(JSON.parse(json)).toMatchObject({ code: 'not_json', value: '{"a":', topic: null });
  });

  test('shows a whole letter, found by the beginning of its id, which must be of one', async () => {
    const topics = await withLetters(...notJson, fromTopic);
    const { code, out } = await run(topics, 'show', 'cccc');
    expect(code).toBe(0);
    expect(out).toContain(`id         ${'c'.repeat(64)}\n`);
    expect(out).toContain('offset     99\n');
    expect(out).toContain('\n\nAAECAw==\n');
    await topics.write('dead-letters', [{ key: 'cccc01', value: { ...fromTopic, id: 'cccc01' } }]);
    expect(await run(topics, 'show', 'cccc')).toMatchObject({
      code: 1,
      err: expect.stringContaining('2 dead letters begin with cccc'),
    });
  });
});

describe('touchline dead-letters resend', () => {
  test('normalizes a body that came over HTTP again, and publishes it with its time of receipt', async () => {
    const topics = await withLetters(...notArray, fromTopic);
    const { code, out } = await run(topics, 'resend', notArray[0]?.id ?? '');
    expect({ code, out }).toEqual({
      code: 0,
      out: `${notArray[0]?.id.slice(0, 12)}  sent again: 1 message\n`,
    });
    expect(await onTopic(topics, 'normalized-messages')).toMatchObject([
      {
        message_id: 'm-24',
        event_id: 24,
        origin: 'webhook',
        received_at: RECEIVED,
        delivery_id: notArray[0]?.key?.toString(),
      },
    ]);
    expect((await run(topics, 'list')).out).toMatch(/\ncccccccccccc .*\n$/);
  });

  test('publishes a record to its topic and partition, with its key and value', async () => {
    const topics = await withLetters(fromTopic);
    expect(await run(topics, 'resend', '--all')).toMatchObject({
      code: 0,
      out: 'cccccccccccc  sent again: back to normalized-messages\n',
    });
    const records = await readRecords(backbone().brokers, `${topics.prefix}normalized-messages`);
    expect(
      records.map(({ partition, key, value }) => [partition, key?.toString(), value?.toString('hex')]),
    ).toEqual([[0, '24', '00010203']]);
    expect(await run(topics, 'list', '--json')).toEqual({ code: 0, out: '', err: '' });
  });

  test('keeps a letter that still cannot be read, says why, and fails', async () => {
    const topics = await withLetters(...notJson, ...notArray);
    const { code, out } = await run(topics, 'resend', '--all');
    expect(code).toBe(1);
    expect(out).toContain(
      `${notJson[0]?.id.slice(0, 12)}  not done, 0 messages sent: not_json: the body is not valid JSON\n`,
    );
    expect(out).toContain(`${notArray[0]?.id.slice(0, 12)}  sent again: 1 message\n`);
    expect((await run(topics, 'list')).out).toContain('not_json');
  });
});

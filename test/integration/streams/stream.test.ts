/** The task runtime with the smallest possible processor. */
import { beforeEach, describe, expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { untilTrue } from '../../support/poll.ts';
import { POISON } from './count-by-key.ts';
import { CountingApplication } from './counting.ts';

const connection = backbone();
let counting: CountingApplication;

beforeEach(async () => {
  counting = await CountingApplication.create(connection);
});

/** Throws on the first call with this value. */
function failOnce(bad: string): (value: string) => void {
  let failures = 0;
  return (value) => {
    if (value === bad && failures++ === 0) throw new Error('as this test wants it');
  };
}

describe('stream', () => {
  test('continues with its counts after a restart', async () => {
    const first = await counting.start();
    await counting.send(['a', '1'], ['bb', '1'], ['a', '2']);
    await untilTrue('three records', async () => (await first.metric('touchline_records_total')) === 3);
    await first.stream.stop();

    await counting.send(['a', '3'], ['ccc', '1']);
    const second = await counting.start();
    await untilTrue('two more', async () => (await second.metric('touchline_records_total')) === 2);
    expect(await counting.read(counting.counts)).toEqual({ a: '3', bb: '1', ccc: '1' });
    expect(await second.metric('touchline_restore_records_total')).toBeGreaterThanOrEqual(2);
    await untilTrue('it is ready', () => second.stream.ready());
  });

  test('sends a poison record to the dead letters, and processes the records around it', async () => {
    const { metric } = await counting.start();
    await counting.send(['a', POISON], ['a', '1'], ['bb', '1']);
    await untilTrue('three records', async () => (await metric('touchline_records_total')) === 3);
    expect(await counting.read(counting.letters)).toEqual({ '1/0': 'undecodable poison' });
    expect(await counting.read(counting.counts)).toEqual({ a: '1', bb: '1' });
    expect(await metric('touchline_task_failures_total')).toBe(0);
  });

  test('rebuilds the partition after a transient error, and counts the record once', async () => {
    const { metric } = await counting.start({ process: failOnce('shaky') });
    await counting.send(['a', '1'], ['a', 'shaky'], ['a', '2']);
    await untilTrue('three records', async () => (await metric('touchline_records_total')) === 3);
    expect(await counting.read(counting.counts)).toEqual({ a: '3' });
    expect(await counting.read(counting.letters)).toEqual({});
    expect(await metric('touchline_task_failures_total')).toBe(1);
  });

  test('commits a full processor within a batch, and counts each record once', async () => {
    const { metric } = await counting.start({ process: failOnce('shaky'), maxKeys: 2 });
    // Records of one partition, sent as one batch.
    await counting.send(['a', '1'], ['b', '1'], ['c', '1'], ['d', '1'], ['e', 'shaky'], ['a', '2']);
    await untilTrue('six records', async () => (await metric('touchline_records_total')) === 6);
    expect(await counting.read(counting.counts)).toEqual({ a: '2', b: '1', c: '1', d: '1', e: '1' });
    expect(await metric('touchline_transactions_total')).toBe(3);
  });

  test('retries a permanent error once, then sends a dead letter without changing the state', async () => {
    let tries = 0;
    const { metric, stream } = await counting.start({
      process(value) {
        if (value !== 'broken') return;
        tries += 1;
        throw new Error('as this test wants it');
      },
    });
    await counting.send(['a', '1'], ['a', 'broken'], ['a', '2']);
    await untilTrue('three records', async () => (await metric('touchline_records_total')) === 3);
    expect(await counting.read(counting.counts)).toEqual({ a: '2' });
    expect(await counting.read(counting.letters)).toEqual({ '1/1': 'processing_failed broken' });
    expect(tries).toBe(2);
    await untilTrue('it is ready', () => stream.ready());
  });
});

import { expect, test, vi } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { untilTrue } from '../../support/poll.ts';
import { Counting } from './counting.ts';

const place = backbone();
const TEN_MINUTES_MS = 600_000;

test('a member that sends no heartbeat, as the wall clock was set back, does not say that it is ready', async () => {
  const counting = await Counting.create(place);
  const { stream, metric } = await counting.start({}, { sessionTimeoutMs: 6_000 });
  await untilTrue('it is ready', () => stream.ready());
  const { now } = Date;
  const stepped = vi.spyOn(Date, 'now').mockImplementation(() => now() - TEN_MINUTES_MS);
  try {
    await untilTrue('it is not ready', () => !stream.ready());
  } finally {
    stepped.mockRestore();
  }
  await untilTrue('it is ready again', () => stream.ready());
  await counting.send(['a', '1']);
  await untilTrue('it counts', async () => (await metric('touchline_records_total')) === 1);
  expect(await counting.read(counting.counts)).toEqual({ a: '1' });
});

import { expect, test, vi } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { untilTrue } from '../../support/poll.ts';
import { Counting, keepingLog } from './counting.ts';

const place = backbone();
const TEN_MINUTES_MS = 600_000;

test('a wall clock that is set back ends no membership for long, and nothing says ready meanwhile', async () => {
  const counting = await Counting.create(place);
  const { log, lines } = keepingLog();
  const { stream, metric } = await counting.start({}, { log, sessionTimeoutMs: 6_000 });
  await untilTrue('it is ready', () => stream.ready());
  const { now } = Date;
  const stepped = vi.spyOn(Date, 'now').mockImplementation(() => now() - TEN_MINUTES_MS);
  try {
    await untilTrue('it is not ready', () => !stream.ready());
    await untilTrue('it is ready again', () => stream.ready());
    expect(lines.filter((line) => line.includes('no heartbeat was answered'))).toHaveLength(1);
    await counting.send(['a', '1']);
    await untilTrue('it counts', async () => (await metric('touchline_records_total')) === 1);
  } finally {
    stepped.mockRestore();
  }
  expect(await counting.read(counting.counts)).toEqual({ a: '1' });
});

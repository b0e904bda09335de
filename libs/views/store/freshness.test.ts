import { beforeEach, describe, expect, test } from 'vitest';
import { eventMessage } from '#ingestion/testing/messages.ts';
import { partitionOfKey } from '#streams/client/port.ts';
import { normalized, ViewsWorld } from '../testing/world.ts';

const EVENT = 7;
const PARTITIONS = 8;
const PARTITION = partitionOfKey(EVENT, PARTITIONS);

let world: ViewsWorld;

beforeEach(() => {
  world = new ViewsWorld();
  world.now = Date.now();
  world.play(eventMessage({}, { id: EVENT }));
  const at = { written_at: world.now, valid_until: world.now + 60_000 };
  world.health(null, at);
  world.health(EVENT, { ...at, valid_until: null });
});

const health = () => world.views.matchHealth(EVENT, world.now).state;

function readToEnd(ago: number): void {
  for (let partition = 0; partition < PARTITIONS; partition++)
    world.views.freshness.readToEnd(partition, performance.now() - (partition === PARTITION ? ago : 0));
}

describe('the feed status of a match', () => {
  test('is expired when its partition of match-state was not read to its end recently', () => {
    world.views.caughtUp(PARTITIONS);
    expect(health()).toBe('expired');
    readToEnd(0);
    expect(health()).toBe('alive');
    readToEnd(2_000);
    expect(health()).toBe('expired');
    readToEnd(1_000);
    expect(health()).toBe('alive');
  });

  test('is expired while its state lacks a change that was read', () => {
    world.views.caughtUp(PARTITIONS);
    readToEnd(0);
    const message = eventMessage({ ut: 1_790_000_001 }, { id: EVENT, bet_status: 'suspended' });
    const records = world.recordsOf(normalized(message));
    const isChange = ({ topic }: (typeof records)[number]) => topic === 'match-transitions';
    world.give(...records.filter(isChange));
    expect(health()).toBe('expired');
    world.give(...records.filter((record) => !isChange(record)));
    expect(health()).toBe('alive');
    // The same change again makes no difference.
    world.give(...records.filter(isChange));
    expect(health()).toBe('alive');
  });

  test('is alive in views that have not caught up, which are not served', () => {
    expect(health()).toBe('alive');
  });
});

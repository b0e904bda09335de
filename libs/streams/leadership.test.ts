import { expect, test } from 'vitest';
import { quietLog } from '../../test/support/log.ts';
import type { GroupListener } from './client/port.ts';
import { Leadership, type LeadershipTerm } from './leadership.ts';

const TIMEOUT = 6_000;

/** Creates a leadership in a fake group. Each term lasts until it is over, or fails with the error of `fail`. */
function candidate(
  fail: (term: number) => Error | null = () => null,
  { outlastsOutages = false, partitions = 1 } = {},
) {
  const clock = {
    now: 0,
    monotonic: () => clock.now,
    sleep: async (ms: number) => {
      clock.now += ms;
    },
  };
  const terms: LeadershipTerm[] = [];
  const led: number[] = [];
  const changes: number[] = [];
  let listener: GroupListener | undefined;
  let left = false;
  const leadership = new Leadership({
    client: {
      openGroupMember(options) {
        listener = options.listener;
        return {
          start: async () => {},
          stop: async () => {
            left = true;
          },
        };
      },
    },
    group: 'g',
    topic: 't',
    sessionTimeoutMs: TIMEOUT,
    onFenced: (error) => {
      throw error;
    },
    clock,
    outlastsOutages,
    partitions,
    lead: async (term, partition) => {
      terms.push(term);
      led.push(partition);
      const error = fail(terms.length);
      if (error !== null) throw error;
      await new Promise<void>((resolve) => term.signal.addEventListener('abort', () => resolve()));
    },
    onChange: (leads) => changes.push(leads),
    log: quietLog,
  });
  if (listener === undefined) throw new Error('no member was opened');
  return { leadership, group: listener, clock, terms, led, changes, left: () => left };
}

/** Creates a leadership that leads partition 0. */
function leader(...options: Parameters<typeof candidate>) {
  const made = candidate(...options);
  made.group.onAssigned([0], made.clock.now);
  return made;
}

const turn = (): Promise<void> => new Promise(setImmediate);

test('leads while it owns the partition, else stands by', async () => {
  const { group, clock, terms, changes, leadership } = candidate();
  expect(leadership.joined).toBe(false);
  group.onAssigned([], clock.now);
  expect([leadership.joined, terms.length]).toEqual([true, 0]);
  group.onAssigned([0], clock.now);
  group.onAssigned([0], clock.now);
  group.onHeartbeat(clock.now);
  expect(terms).toHaveLength(1);
  group.onAssigned([], clock.now);
  expect(terms[0]?.signal.aborted).toBe(true);
  expect(() => terms[0]?.requireTerm()).toThrow('no longer leads');
  expect(changes).toEqual([0, 1, 1, 0]);
});

test('permits no publish once the last heartbeat is older than the session timeout', () => {
  const { group, clock, terms } = leader();
  clock.now = TIMEOUT;
  expect(() => terms[0]?.requireTerm()).not.toThrow();
  // It counts from when it was sent, not from its answer.
  clock.now = TIMEOUT + 500;
  group.onHeartbeat(TIMEOUT);
  clock.now = 2 * TIMEOUT;
  expect(() => terms[0]?.requireTerm()).not.toThrow();
  clock.now += 1;
  expect(() => terms[0]?.requireTerm()).toThrow('no longer leads');
  // A later heartbeat starts a new term, and does not restore the old one.
  group.onHeartbeat(clock.now);
  expect(() => terms[0]?.requireTerm()).toThrow('no longer leads');
});

test('starts a new term with the next heartbeat if the partition is still assigned', async () => {
  const { group, clock, terms } = leader();
  clock.now = TIMEOUT + 1;
  expect(() => terms[0]?.requireTerm()).toThrow();
  await turn();
  group.onHeartbeat(clock.now);
  expect(terms).toHaveLength(2);
  expect(() => terms[1]?.requireTerm()).not.toThrow();
});

test.each([
  ['after a failed one', 1, 2],
  ['not after losing the partition until it is assigned again', 0, 1],
])('starts a new term %s', async (_, failing, expected) => {
  const { group, clock, terms } = leader((term) =>
    term === failing ? new Error('the broker is down') : null,
  );
  if (failing === 0) group.onLost();
  await turn();
  group.onHeartbeat(clock.now);
  expect(terms).toHaveLength(expected);
});

test('with `outlastsOutages` ends the term only when the group assigns the partition to another process', async () => {
  const { group, clock, terms, changes, leadership } = leader(() => null, { outlastsOutages: true });
  group.onLost();
  expect(leadership.joined).toBe(false);
  expect(terms[0]?.signal.aborted).toBe(false);
  group.onAssigned([0], clock.now);
  group.onHeartbeat(clock.now);
  expect(terms).toHaveLength(1);
  group.onLost();
  group.onAssigned([], clock.now);
  expect(terms[0]?.signal.aborted).toBe(true);
  expect(changes).toEqual([1, 1, 0]);
});

test('ends the term before it leaves the group on a stop', async () => {
  const { group, clock, terms, leadership, left } = leader();
  terms[0]?.signal.addEventListener('abort', () => expect(left()).toBe(false));
  await leadership.stop();
  expect(terms[0]?.signal.aborted).toBe(true);
  expect(left()).toBe(true);
  group.onHeartbeat(clock.now);
  expect(terms).toHaveLength(1);
});

test('leads each partition for itself, of those that have a leader', () => {
  const { group, clock, terms, led, leadership } = candidate(() => null, { partitions: 3 });
  group.onAssigned([0, 2, 3], clock.now);
  expect(led).toEqual([0, 2]);
  expect([...leadership.owned]).toEqual([0, 2]);
  group.onAssigned([1, 2], clock.now);
  expect(led).toEqual([0, 2, 1]);
  expect(terms.map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
});

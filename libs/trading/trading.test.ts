import { describe, expect, test } from 'vitest';
import { HealthTable, type ReaderLimits } from './feed-status.ts';
import { HaltTable } from './halts.ts';
import { CASES, DEFAULTS, EVENT, healthOf, type ReadHealth, STATE_CASES } from './testing/cases.ts';
import { nextState, tradingOf } from './trading.ts';

function tableOf(health: ReadHealth, limits: ReaderLimits = {}): HealthTable {
  const table = new HealthTable(limits);
  for (const { key, record, at } of health) table.apply(key, record, at);
  return table;
}

test.each([0, -1, 20.5, Number.NaN])('refuses a limit of %s seconds', (seconds) => {
  for (const name of ['maxAgeSeconds', 'maxDelaySeconds'])
    expect(() => new HealthTable({ [name]: seconds })).toThrow(
      `${name} must be more than 0 and at most 20 seconds: a reader may only be stricter than the platform; it is ${seconds}`,
    );
});

describe('trading', () => {
  test.each(CASES)('$title', ({ now, match, limits, doubts, halts, seen, unreadFor, health, expected }) => {
    const feed = tableOf(health, limits).match(EVENT, now);
    const byHand = new HaltTable();
    for (const record of halts) byHand.apply(record.scope, record);
    byHand.standing(seen);
    byHand.readTo(now.steady - unreadFor);
    const halted = byHand.standing(now, { event_id: EVENT, competition_id: match?.competition_id ?? null });
    expect({ ...tradingOf(match, feed, halted, doubts), feed }).toEqual(expected);
  });
});

describe('nextState', () => {
  test.each(STATE_CASES)('$title', ({ read, expected }) => {
    const [first, ...others] = read.map(([version, offset]) => ({
      version,
      cause: { offset },
      guard: { safe: true, reasons: [] as readonly string[] },
    }));
    if (first === undefined) throw new Error('a case without a state');
    const { version, guard } = others.reduce((known, next) => nextState(known, next), nextState(null, first));
    expect({ version, guard }).toEqual({
      version: expected.version,
      guard: { safe: expected.reasons.length === 0, reasons: expected.reasons },
    });
  });
});

describe('HealthTable', () => {
  const { now, read_at: readAt, records } = DEFAULTS;

  test('forgets a deleted record', () => {
    for (const key of ['webhook', `webhook/${EVENT}`]) {
      const table = tableOf(healthOf([{ of: 'source' }, { of: 'match' }]));
      table.apply(key, null, readAt);
      expect(table.match(EVENT, now)).toMatchObject({ believed: false, state: 'unknown' });
    }
  });

  test('lists sources by name, each judged by the clock', () => {
    const table = tableOf(healthOf([{ of: 'source' }, { of: 'source', changes: { source: 'feed' } }]));
    const states = (wall: number) =>
      table.sources({ ...now, wall }).map(({ source, state }) => `${source} ${state}`);
    expect(states(now.wall)).toEqual(['feed alive', 'webhook alive']);
    expect(states(records.source.valid_until)).toEqual(['feed expired', 'webhook expired']);
  });
});

import { describe, expect, test } from 'vitest';
import { type Match, matchState, newMatch } from '#domain/match.ts';
import { readDelivery } from '#ingestion/delivery.ts';
import { finalScore, readDataset } from '../../data/dataset.ts';
import { rounds } from '../../test/support/rounds.ts';
import { planDeliveries, type SimulatedDelivery } from './deliveries.ts';
import { allAt, DELIVERY_NAMES, parseFaults } from './faults.ts';
import type { ProviderMessage } from './records.ts';
import { schedule } from './schedule.ts';
import { apply } from './testing/states.ts';

const DATASET = readDataset('world-cup-2018');
const TIMEOUT_MS = 60_000;
/** An hour ahead of this machine. */
const aheadAt = Math.floor(Date.now() / 1000) + 3_600;

/** Matches of the first round: what happens to a delivery repeats. */
const FIRST_ROUND = 16;
/** The first round, or before a release the tournament. */
const PLAYED = rounds(DATASET.matches.length);

function waves(faults: string, seed = 'test', count = DATASET.matches.length) {
  const settings = { seed, faults: parseFaults(faults), keepAliveEvery: 300, clockEvery: 0, aheadAt };
  return schedule(DATASET, settings, count);
}

function deliver(faults: string, seed = 'test', count = DATASET.matches.length) {
  const counts = allAt(DELIVERY_NAMES, 0);
  const plan = { seed, faults: parseFaults(faults), batchSize: 20, batchWindow: 60 };
  return { deliveries: [...planDeliveries(waves(faults, seed, count), plan, counts)], counts };
}

function messagesOf(deliveries: readonly SimulatedDelivery[]): ProviderMessage[] {
  return deliveries
    .filter(({ malformed }) => malformed === null)
    .flatMap(({ body }) => JSON.parse(body.toString()) as ProviderMessage[]);
}

describe('waves', () => {
  const played = [...waves('none')];

  test('play one round after another, with each team at most once at a time', () => {
    expect(played.map(({ matches }) => matches.length)).toEqual([16, 16, 16, 8, 4, 2, 1, 1]);
    for (const { matches } of played) {
      const teams = matches.flatMap(({ facts }) => [facts.home, facts.away]);
      expect(new Set(teams).size).toBe(teams.length);
    }
  });

  test('have one clock that never goes back, and start no match before its date', () => {
    let last = 0;
    for (const { messages, startsAt, endsAt, matches } of played) {
      expect(startsAt).toBeGreaterThan(last);
      expect(messages.map(({ ut }) => ut)).toEqual(messages.map(({ ut }) => ut).sort((a, b) => a - b));
      for (const { facts, messages: its } of matches) {
        const started = its.find(({ data }) => data.incident?.incident_id === 429);
        expect(started?.ut).toBeGreaterThanOrEqual(Date.parse(facts.date) / 1000);
      }
      last = endsAt;
    }
  });
});

describe('deliveries', () => {
  test('carry every message once and in order without faults', () => {
    const { deliveries, counts } = deliver('none');
    const messages = [...waves('none')].flatMap((wave) => wave.messages);
    expect(messagesOf(deliveries)).toEqual(messages);
    expect(counts).toEqual(allAt(DELIVERY_NAMES, 0));
    for (const { messages: size } of deliveries) expect(size).toBeLessThanOrEqual(20);
    expect(deliveries.map(({ due }) => due)).toEqual(deliveries.map(({ due }) => due).sort((a, b) => a - b));
  });

  test.each(DELIVERY_NAMES)('lose no message with the fault %s', (injected) => {
    const faults = `${injected}=0.3`;
    const { deliveries, counts } = deliver(faults, 'test', FIRST_ROUND);
    const sent = messagesOf(deliveries).map((message) => JSON.stringify(message));
    const distinct = new Set(sent);
    const messages = [...waves(faults, 'test', FIRST_ROUND)].flatMap((wave) => wave.messages);
    const published = messages.map((message) => JSON.stringify(message));
    expect(distinct).toEqual(new Set(published));
    expect(counts.duplicate).toBe(sent.length - distinct.size);
    expect(counts.drop + counts.signature).toBe(deliveries.filter(({ mishap }) => mishap !== null).length);
    expect(counts.gzip).toBe(deliveries.filter(({ gzip }) => gzip !== null).length);
    expect(counts.malformed).toBe(deliveries.filter(({ malformed }) => malformed !== null).length);
    expect(sent.join() === published.join()).toBe(counts.reorder + counts.delay + counts.duplicate === 0);
    expect(counts[injected]).toBeGreaterThan(25);
  });

  test.each(['some', 'many'])(
    'have the official scores with faults %s, and a dead letter for each malformed body',
    (faults) => {
      const { deliveries, counts } = deliver(faults, 'test', PLAYED);
      const matches = new Map<number, Match>();
      const letters = new Set<string>();
      const context = { origin: 'webhook', service: 'test', receivedAt: Date.now() } as const;
      for (const { body } of deliveries) {
        const { normalized, deadLetters, ignored } = readDelivery(body, context);
        expect(ignored.size).toBe(0);
        for (const { id } of deadLetters) letters.add(id);
        for (const message of normalized) {
          const { event_id } = message;
          const match = matches.get(event_id) ?? newMatch(event_id);
          matches.set(event_id, match);
          apply(match, message);
        }
      }
      expect(letters.size).toBe(counts.malformed);
      expect(matches.size).toBe(PLAYED);
      for (const facts of DATASET.matches.slice(0, PLAYED)) {
        const match = matches.get(facts.id);
        const [home, away] = finalScore(facts);
        expect(match === undefined ? null : matchState(match).score).toEqual({ home, away });
      }
    },
    TIMEOUT_MS,
  );
});

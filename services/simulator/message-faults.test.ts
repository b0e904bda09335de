import { describe, expect, test } from 'vitest';
import { normalized } from '#ingestion/testing/normalized.ts';
import { type MatchFacts, readDataset } from '../../data/dataset.ts';
import { parseFaults } from './faults.ts';
import { simulateMatch } from './match.ts';
import { stateAfter } from './testing/states.ts';

const DATASET = readDataset('world-cup-2018');
const MATCHES = DATASET.matches.slice(0, 8);

function simulate(facts: MatchFacts, faults: string) {
  const settings = { seed: '1', faults: parseFaults(faults), keepAliveEvery: 30, clockEvery: 60 };
  return simulateMatch(facts, DATASET.competition, 1_530_000_000, settings);
}

describe('same_second', () => {
  test('reports a status and an incident of the former status in one second, in either order', () => {
    const orders = new Set<string>();
    for (const facts of MATCHES) {
      const { messages, invented } = simulate(facts, 'same_second=3');
      expect(invented.same_second).toBe(3);
      const reports = messages.filter(({ type }) => type !== 'event_keep_alive');
      const pairs = Map.groupBy(reports, ({ ut }) => ut)
        .values()
        .filter((group) => new Set(group.map(({ data }) => JSON.stringify(data.event))).size > 1)
        .toArray();
      expect(pairs).toHaveLength(3);
      for (const pair of pairs) {
        orders.add(pair.map(({ type }) => type).join());
        const latest = pair.reduce((a, b) => (a.id > b.id ? a : b));
        const upTo = messages.filter(({ ut }) => ut <= (pair[0]?.ut ?? 0));
        const { status_id: expected } = latest.data.event as { status_id: number };
        for (const order of [upTo, upTo.toReversed()])
          expect(stateAfter(facts.id, order).status_id).toBe(expected);
      }
    }
    expect(orders).toEqual(new Set(['incident,event', 'event,incident']));
  });
});

describe('stamped_ahead', () => {
  test('stamps incidents by a clock that the receiver recognizes as wrong', () => {
    for (const facts of MATCHES) {
      const { messages, invented } = simulate(facts, 'stamped_ahead=4');
      expect(invented.stamped_ahead).toBe(4);
      expect(
        messages.filter((message) => normalized(message, message.ut * 1_000).unread.includes('incident.ut')),
      ).toHaveLength(4);
    }
  });
});

describe('odd_field', () => {
  test('changes the form of fields, and neither meaning nor number of the messages', () => {
    for (const facts of MATCHES) {
      const [plain, odd] = [simulate(facts, 'none').messages, simulate(facts, 'odd_field=5')];
      expect(odd.invented.odd_field).toBe(5);
      const changed = odd.messages.filter(
        (message, n) => JSON.stringify(message) !== JSON.stringify(plain[n]),
      );
      expect(changed).toHaveLength(5);
      for (const message of changed) expect(normalized(message, message.ut * 1_000).unread).toEqual([]);
      const [expected, found] = [plain, odd.messages].map((all) => stateAfter(facts.id, all));
      expect([found?.score, found?.status_id, found?.counting_goals]).toEqual([
        expected?.score,
        expected?.status_id,
        expected?.counting_goals,
      ]);
    }
  });
});

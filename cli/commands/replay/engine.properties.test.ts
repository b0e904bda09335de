import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { resultKey } from '#domain/match-result.ts';
import { SeasonTables } from '#domain/standings/season-tables.ts';
import { rulesOf } from '#domain/standings/testing/results.ts';
import { AWAY, eventFields, eventMessage, HOME, participants, START } from '#domain/testing/messages.ts';
import { canonicalJson } from '#json/canonical-json.ts';
import type { MatchResult, MatchTransition, Standings } from '#records/types.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { COMPARED, type ComparedTopic, comparedText } from '../compare/run.ts';
import { codecs, replayInMemory } from './testing/in-memory.ts';

vi.setConfig({ testTimeout: 300_000 });

const RULES = rulesOf({
  tables: [{ id: 1, name: 'Both', stage_ids: [7, 8] }],
  corrections: [
    { participant_id: HOME, value: -2, reason: 'Quit', from: '2026-08-16' },
    { participant_id: AWAY, value: -1, reason: 'Quit', from: '2026-08-18' },
  ],
});

const status = (status_id: number, status_type: string) => ({ status_id, status_type });

/** What a provider reports of a match, which may take it back: each history has its first step too. */
const anyStep = fc.record({
  event: fc.integer({ min: 1, max: 3 }),
  fields: fc.oneof(
    { weight: 3, arbitrary: fc.constant(status(11, 'finished')) },
    { weight: 3, arbitrary: fc.constantFrom(status(1, 'scheduled'), status(33, 'live')) },
    fc.constant(status(5, 'cancelled')),
    fc.constantFrom({ item_status: 'deleted' }, { item_status: 'active' }),
    fc.constantFrom(5, 6).map((season_id) => ({ season_id })),
    fc.constantFrom(7, 8, null).map((stage_id) => ({ stage_id })),
    fc.constantFrom(1, null).map((group_id) => ({ group_id })),
    fc.constantFrom('14', '16', '17').map((day) => ({ start_date: `2026-08-${day} 15:00` })),
    fc
      .constantFrom([1, 0], [2, 2], ['', ''])
      .map(([home, away]) => ({ participants: participants(home, away) })),
  ),
});

/** Returns the messages of some steps: an event is reported with all its fields first. */
function messagesOf(steps: readonly (typeof anyStep extends fc.Arbitrary<infer T> ? T : never)[]) {
  const known = new Set<number>();
  return steps.map(({ event, fields }, at) => {
    const all = known.has(event) ? fields : eventFields({ season_id: 5, stage_id: 7, ...fields });
    known.add(event);
    const message = { ...eventMessage(START + 60 * at, all), event_id: event, message_id: `m-${at}` };
    const value = codecs['normalized-messages'].encode(message);
    return { partition: event % 2, key: String(event), value, timestamp: (START + at) * 1_000 };
  });
}

type Records = Awaited<ReturnType<typeof replayInMemory>>;

/** Returns the last value of each key of a topic that `compare` compares, as it compares them. */
function lastOf(records: Records, topic: ComparedTopic): Map<string, string> {
  const last = new Map<string, string>();
  for (const { topic: name, key, value } of records) {
    if (name !== topic || value === null) continue;
    const record = codecs[topic].decode(value) as object;
    const text = comparedText(topic, 'log', record);
    const id = topic === 'match-transitions' ? (record as MatchTransition).id : String(key);
    if (text === null) last.delete(id);
    else last.set(id, text);
  }
  return last;
}

/** Returns the bodies of the tables that follow from the last results alone, by id. */
function derivedFrom(results: ReadonlyMap<string, string>): Map<string, string> {
  const seasons = new Map<number, SeasonTables>();
  for (const text of results.values()) {
    const result = { version: 1, cause: { offset: 0 }, ...JSON.parse(text) } as MatchResult;
    const tables =
      seasons.get(result.season_id) ?? new SeasonTables(result.competition_id, result.season_id, RULES);
    seasons.set(result.season_id, tables);
    tables.apply(result);
  }
  const derived = [...seasons.values()].flatMap((tables) => tables.derive());
  const existing = derived.filter(({ groups }) => groups.length > 0);
  return new Map(existing.map(({ id, groups, later }) => [String(id), canonicalJson({ groups, later })]));
}

test('a replay in one batch equals the live run message by message, and both the last results alone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 2, maxLength: 20, size: 'max' }),
      fc.integer({ min: 2, max: 6 }),
      async (steps, batch) => {
        const inputs = messagesOf(steps);
        const [live, other, replayed] = [
          await replayInMemory(inputs, 1, () => RULES),
          await replayInMemory(inputs, batch, () => RULES),
          await replayInMemory(inputs, inputs.length, () => RULES),
        ];
        for (const topic of COMPARED) {
          expect(lastOf(live, topic)).toEqual(lastOf(replayed, topic));
          expect(lastOf(other, topic)).toEqual(lastOf(replayed, topic));
        }
        const results = lastOf(live, 'match-results');
        for (const [key, text] of results) expect(key).toBe(resultKey(JSON.parse(text)));
        const derived = derivedFrom(results);
        const tables = [...lastOf(live, 'standings')].map(([key, text]) => {
          const { groups, later } = JSON.parse(text) as Standings;
          return [key, canonicalJson({ groups, later })] as const;
        });
        expect(new Map(tables)).toEqual(derived);
      },
    ),
    { numRuns: rounds(120) },
  );
});

import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { applyMessage, type Match, matchResult, newMatch } from '#domain/match.ts';
import { SeasonTables } from '#domain/standings/season-tables.ts';
import { causeOf } from '#domain/testing/messages.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { readRules } from '#service/competition-rules.ts';
import { backbone } from '../../setup/backbone.ts';
import { FAULT_TIMEOUT_MS, times } from '../../support/harness.ts';
import { seeded } from '../../support/seed.ts';
import { seasonMessages, shuffled } from '../../support/standings/made-up-season.ts';
import { finalBytes, type TablesOutput, TablesPipeline } from '../../support/standings/tables-pipeline.ts';

const connection = { ...backbone(), services: ['match-processor', 'standings-processor'] as const };
const KILLS = times(20, 4);
const SEASONS = times(6, 3);
const COMPETITION = 1;
const RULES = fileURLToPath(new URL('../../../data/rules/', import.meta.url));

test(
  `${KILLS} times kill -9 of a processor, and rebalances: the tables of all results, no version twice`,
  async () => {
    const run = await TablesPipeline.create(connection);
    const random = seeded();
    const starts = [() => run.pipeline.startProcessor(), () => run.startTables(), () => run.startTables()];
    const processors = starts.map((start) => start());
    const messages = shuffled(
      Array.from({ length: SEASONS }, (_, at) => {
        const where = { competition: COMPETITION, season: 100 + at, stage: 200 + at, group: null };
        return seasonMessages(where, 10, 1_000 * (at + 1), at + 1);
      }).flat(),
      3,
    );
    const size = Math.ceil(messages.length / KILLS);
    for (let step = 0; step < KILLS; step += 1) {
      const disturb = async () => {
        await delay(random() * 2_000);
        // Mostly a standings processor, sometimes a match processor; every second time a new one joins before.
        const victim = step % 4 === 3 ? 0 : 1 + (step % 2);
        const before = processors[victim];
        if (step % 2 === 0) await before?.kill();
        processors[victim] = (starts[victim] as () => (typeof processors)[number])();
        if (step % 2 === 1) await before?.kill();
      };
      await Promise.all([run.feed(messages.slice(step * size, (step + 1) * size)), disturb()]);
    }
    await run.settled();
    const output = await run.output();
    await Promise.all(processors.map((processor) => processor.stop()));

    expectVersions(output);
    expect(finalBytes(output.last)).toEqual(derivedAtOnce(messages));
  },
  FAULT_TIMEOUT_MS,
);

/** Expects versions to count from 1 without gap or repetition, and each to differ from the previous one. */
function expectVersions({ log }: TablesOutput): void {
  const last = new Map<number, { version: number; shown: string }>();
  for (const { version, ut: _, cause: __, ...rest } of log) {
    const shown = JSON.stringify(rest);
    const before = last.get(rest.standings_id);
    expect(version, `version of ${rest.standings_id}`).toBe((before?.version ?? 0) + 1);
    expect(shown).not.toBe(before?.shown);
    last.set(rest.standings_id, { version, shown });
  }
}

/** Returns the tables of all messages, derived in this process without a broker. */
function derivedAtOnce(messages: readonly NormalizedMessage[]): Record<string, string> {
  const matches = new Map<number, Match>();
  for (const [offset, message] of messages.entries()) {
    const match = matches.get(message.event_id) ?? newMatch(message.event_id);
    matches.set(message.event_id, match);
    applyMessage(match, message, causeOf(message, offset));
  }
  const results = [...matches.values()].flatMap((match) => matchResult(match) ?? []);
  const rulesOf = readRules(RULES);
  const tables = [...Map.groupBy(results, ({ season_id }) => season_id)].flatMap(([season, ofSeason]) => {
    const derived = new SeasonTables(COMPETITION, season, rulesOf(COMPETITION, season));
    for (const result of ofSeason)
      derived.apply({ ...result, version: 1, removed: false, cause: { offset: 0 } });
    return derived.derive();
  });
  return finalBytes(new Map(tables.map((table) => [table.id, table])));
}

/** A season's goals and cards as its provider reports them, against totals counted from the facts. */
import { expect, test } from 'vitest';
import { normalizeMessage } from '#ingestion/normalize.ts';
import { type FactKind, readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { simulateMatch } from '../../../services/simulator/match.ts';
import { backbone } from '../../setup/backbone.ts';
import { type TableBody, TablesPipeline, tableOf } from '../../support/standings/tables-pipeline.ts';

const place = backbone();
const GOALS: ReadonlySet<FactKind> = new Set(['goal', 'penalty_goal']);
const TELLING = { seed: 'persons', faults: parseFaults('some'), keepAliveEvery: 0, clockEvery: 0 };

test('top scorers and cards equal the facts, with goals reported and removed on the way', async () => {
  const { competition, matches } = readDataset('england-2017-18');
  const messages = matches.flatMap((facts) =>
    simulateMatch(facts, competition, Date.parse(facts.date) / 1_000, TELLING).messages.flatMap((message) => {
      const result = normalizeMessage(message, {
        origin: 'feed',
        deliveryId: 'd',
        receivedAt: message.ut * 1_000,
      });
      return result.kind === 'normalized' ? result.message : [];
    }),
  );
  const run = await TablesPipeline.create(place);
  const processors = [run.pipeline.startProcessor(), run.startTables()];
  await run.feed(messages);
  const output = await run.output();
  await Promise.all(processors.map((processor) => processor.stop()));

  const scorers = new Map<number, Record<string, number>>();
  const carded = new Map<number, Record<string, number>>();
  const add = (to: typeof scorers, person: number, figures: Record<string, number>) => {
    const known = to.get(person) ?? {};
    for (const [code, figure] of Object.entries(figures)) known[code] = (known[code] ?? 0) + figure;
    to.set(person, known);
  };
  // Of the one match with unknown goals, the timeline is not reported from its start.
  for (const { events, facts } of matches) {
    if (facts !== 'all') continue;
    for (const [, , kind, , person] of events) {
      if (GOALS.has(kind)) add(scorers, person, { goals_scored: 1 });
      const yellow = kind === 'yellow' || kind === 'second_yellow' ? 1 : 0;
      const red = kind === 'red' || kind === 'second_yellow' ? 1 : 0;
      if (yellow + red > 0) {
        add(carded, person, { yellow_cards: yellow, red_cards: red, cards: yellow + red });
      }
    }
  }
  const season = competition.season.id;
  expect(figuresOf(tableOf(output, 6, 'season', season))).toEqual(scorers);
  expect(figuresOf(tableOf(output, 7, 'season', season))).toEqual(carded);
});

/** The figures of every person, and that ranks follow from them. */
function figuresOf({ groups }: TableBody): Map<number, Record<string, number | string>> {
  expect(groups).toHaveLength(1);
  const rows = groups[0]?.participants ?? [];
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    if (before === undefined) continue;
    const [ours, theirs] = [row, before].map(({ columns }) =>
      Number(columns.find(({ code }) => code === 'goals_scored' || code === 'cards')?.value),
    );
    expect(ours).toBeLessThanOrEqual(theirs ?? 0);
  }
  return new Map(
    rows.map(({ id, columns }) => {
      // What no source says is empty.
      const known = columns.filter(({ value }) => value !== '');
      return [id, Object.fromEntries(known.map(({ code, value }) => [code, value]))];
    }),
  );
}

import { expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { fixtures, seasonMessages, shuffled } from '../../support/standings/made-up-season.ts';
import type { MatchPlace } from '../../support/standings/provider-messages.ts';
import { TablesPipeline } from '../../support/standings/tables-pipeline.ts';

const place = backbone();
const ORDERS = 20;
const TEAMS = 12;

/** Ids that differ from order to order, and in nothing but their number. */
const placeOf = (order: number): MatchPlace => ({
  competition: 710_000 + order,
  season: 720_000 + order,
  stage: 730_000 + order,
  group: null,
});

test(`${ORDERS} orders of a season’s messages, one match in ten corrected later: the same tables to the byte`, async () => {
  const run = await TablesPipeline.create(place);
  const processors = [run.pipeline.startProcessor(), run.startTables()];
  const orders = Array.from({ length: ORDERS }, (_, order) => {
    const season = fixtures(placeOf(order), TEAMS, 740_000_000 + order * 1_000);
    const messages = seasonMessages(season, 11);
    return order === 0 ? messages : shuffled(messages, order);
  });
  await run.feed(orders.flat());
  const output = await run.output();
  await Promise.all(processors.map((processor) => processor.stop()));

  const bodies = orders.map((_, order) => {
    const { competition, season, stage } = placeOf(order);
    const ofOrder = [...output.last.values()].filter(({ season_id }) => season_id === season);
    return ofOrder
      .map(({ standings_id, body }) =>
        [standings_id, competition, season, Number(stage)].reduce(
          (text, id, at) => text.replaceAll(`:${id}`, `:${'#'.repeat(at + 1)}`),
          body,
        ),
      )
      .sort();
  });
  expect(bodies[0]?.length).toBe(16);
  for (const [order, ofOrder] of bodies.entries()) expect(ofOrder, `order ${order}`).toEqual(bodies[0]);
});

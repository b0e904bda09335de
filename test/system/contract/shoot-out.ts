/** Rows about the values of results and incidents, tested with a cup match that was decided on penalties. */
import { describe, expect, test } from 'vitest';
import { eventsOf } from './reading.ts';
import { dataOf, eventOf } from './served.ts';
import { SHOOT_OUT } from './world.ts';

const event = () => eventOf(SHOOT_OUT.id);

/** Returns the values of a result for home and away; undefined when missing. */
function valuesOf(of: Awaited<ReturnType<typeof eventOf>>, resultId: number): unknown[] {
  return of.participants.map(
    ({ results }: { results: { id: number; value: string }[] }) =>
      results.find(({ id }) => id === resultId)?.value,
  );
}

export function shootOutRows(): void {
  describe('Results and incidents of a match decided on penalties', () => {
    test('Result: 2', async () => {
      const decided = await event();
      expect(decided).toMatchObject({ status_id: 13, status_type: 'finished' });
      // It includes two goals of extra time, and not the three of the shoot-out.
      expect(valuesOf(decided, 2)).toEqual(['2', '2']);
      const ahead = eventsOf(await dataOf('/v2/events?season_id=20')).find(({ id }) => id === 1012);
      expect(valuesOf(ahead, 2)).toEqual([undefined, undefined]);
    });

    test('Result: 4, 5', async () => {
      const decided = await event();
      expect([valuesOf(decided, 4), valuesOf(decided, 5)]).toEqual([
        ['1', '0'],
        ['0', '1'],
      ]);
    });

    test('Result: 7', async () => expect(valuesOf(await event(), 7)).toEqual(['2', '1']));

    test('Result: 411', async () => {
      // Regular time had no winner; the match of the league that ended 2:1 had one.
      expect([valuesOf(await event(), 411), (await event()).winner_id]).toEqual([['0', '0'], null]);
      const won = await eventOf(1004);
      expect([valuesOf(won, 411), won.winner_id]).toEqual([['1', '0'], 107]);
    });

    test('Result: 412', async () => {
      expect([valuesOf(await event(), 412), (await event()).progress_id]).toEqual([['0', '1'], 402]);
    });

    test('Incident: for', async () => {
      const incidents: { id: string; for: string }[] = await dataOf(`/v2/events/${SHOOT_OUT.id}/incidents`);
      const shown = Object.fromEntries(incidents.map((one) => [one.id, one.for]));
      expect(shown).toMatchObject(SHOOT_OUT.countsFor);
    });
  });
}

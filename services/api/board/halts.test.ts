/** The page of the halts: what was halted in the last 24 hours, by the stories of the matches and their feeds. */
import { expect, test, vi } from 'vitest';
import { haltReader } from './pages/halts-page.ts';
import { type FixtureMatch, PlayedViews } from './testing/playing.ts';
import { firstHalf, incident, SERBIA_BRAZIL as match, secondHalf } from './testing/scenes.ts';
import { OPEN, ServedBoard } from './testing/served.ts';

const NOW = Math.floor(Date.now() / 1000);
const MINUTE = 60;
const other: FixtureMatch = { id: 3100042, home: [40_000, 'Switzerland'], away: [41_000, 'Costa Rica'] };

/** Publishes a match whose betting is suspended for two minutes, from its 20th. `begin`: Unix seconds. */
function playHalted(played: PlayedViews, fixture: FixtureMatch, begin: number): void {
  const [from, to] = [begin + 20 * MINUTE, begin + 22 * MINUTE];
  played.publish(fixture, begin, { ...firstHalf(0), reported: [0, 0] }, incident(1, 429, '00:00'));
  played.publish(fixture, from, { ...firstHalf(20), bet_status: 'suspended' });
  played.publish(fixture, to, firstHalf(22));
}

function believed(played: PlayedViews, fixture: FixtureMatch): void {
  played.health(fixture.id, { since: 0, judged_from: null });
}

/** Returns the views of two matches that were halted 70 minutes ago, each with a believed feed. */
function bothHalted(): PlayedViews {
  const played = new PlayedViews();
  played.health(null);
  for (const one of [match, other]) {
    playHalted(played, one, NOW - 90 * MINUTE);
    believed(played, one);
  }
  return played;
}

test('lists each halt with its match, duration, score and reasons, those that go on first', async () => {
  const played = bothHalted();
  const possibleGoal = incident(3, 1827, '75:00', { event_status_id: 34 });
  played.publish(other, NOW - 5 * MINUTE, secondHalf(30), possibleGoal);
  const { halts, totals, live, haltedNow } = await haltReader(400)(played.views, NOW);
  const shown = halts.map(({ match: { event_id }, from, to, reasons }) => [
    event_id,
    (NOW * 1000 - from) / 60_000,
    to === null ? null : (to - from) / 60_000,
    reasons.join(),
  ]);
  expect(shown).toEqual([
    [other.id, 5, null, 'possible_goal'],
    [match.id, 70, 2, 'bet_suspended'],
    [other.id, 70, 2, 'bet_suspended'],
  ]);
  expect([live, haltedNow]).toEqual([2, 1]);
  expect(totals).toEqual([
    { reason: 'bet_suspended', halts: 2, duration: 4 * 60_000 },
    { reason: 'possible_goal', halts: 1, duration: 5 * 60_000 },
  ]);
});

test('leaves out what ended more than a day ago, and reads a match that is over once', async () => {
  const played = new PlayedViews();
  played.health(null);
  playHalted(played, match, NOW - 26 * 60 * MINUTE);
  playHalted(played, other, NOW - 23 * 60 * MINUTE);
  for (const one of [match, other]) {
    believed(played, one);
    played.publish(one, NOW - 20 * 60 * MINUTE, { status_id: 11, status_type: 'finished' });
  }
  const read = haltReader(400);
  const { halts } = await read(played.views, NOW);
  expect(halts.map(({ match: { event_id } }) => event_id)).toEqual([other.id]);
  const story = vi.spyOn(played.views.incidentLog, 'story');
  expect((await read(played.views, NOW)).halts).toHaveLength(1);
  expect(story).not.toHaveBeenCalled();
});

test('answers others between two matches, and reads those in play again when they change', async () => {
  const played = bothHalted();
  const read = haltReader(400);
  const answered: string[] = [];
  const reading = read(played.views, NOW).then(() => answered.push('the halts'));
  await new Promise((resolve) => setImmediate(resolve));
  answered.push('another');
  await reading;
  expect(answered).toEqual(['another', 'the halts']);

  played.publish(other, NOW, { ...secondHalf(45), bet_status: 'suspended' });
  expect((await read(played.views, NOW + 1)).haltedNow).toBe(1);
});

test('the page names the halts, and those who may not see a match see none of its halts', async () => {
  const served = await ServedBoard.start();
  served.played.health(null);
  playHalted(served.played, match, NOW - 90 * MINUTE);
  believed(served.played, match);
  const page = await served.get('/halts');
  const text = page.text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  expect(text).toContain('1 live match, 0 of them halted now.');
  expect(text).toContain('betting suspended 1 2 min');
  expect(text).toContain('for 2 min Serbia – Brazil at 0–0 betting suspended');
  const view = served.played.views;
  const others = await ServedBoard.start({ view, gate: { ...OPEN, competitions: new Set([9]) } });
  expect((await others.get('/halts')).text).toContain('No match was halted.');
});

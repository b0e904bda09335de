import { beforeEach, describe, expect, test } from 'vitest';
import { type MatchDetails, matchDetails } from './pages/match-page.ts';
import { PlayedViews } from './testing/playing.ts';
import { firstHalf, incident, SERBIA_BRAZIL as match, playSerbiaBrazil } from './testing/scenes.ts';

const NOW = 1_790_000_000;
const [HOME, AWAY] = [match.home[0], match.away[0]];

let played: PlayedViews;
beforeEach(() => {
  played = new PlayedViews();
});

function details(): MatchDetails {
  const found = matchDetails(played.views, match.id, NOW);
  if (found === null) throw new Error('the match is not there');
  return found;
}

/** Returns each incident's row and its story as short texts. */
function lines(): string[] {
  return details().timeline.map(({ minute, name, void: why, note, story }) =>
    [
      `${minute ?? '–'} ${name}`,
      why,
      note,
      ...story.map(({ what, score, firm }) =>
        [what, score, firm && `firm ${firm}`].filter(Boolean).join(' | '),
      ),
    ]
      .filter((part) => part !== null)
      .join('\n  '),
  );
}

type Fields = Readonly<Record<string, unknown>>;
let at = NOW;
function publish(record: Fields, event: Fields = {}): void {
  at += 10;
  played.publish(match, at, { ...firstHalf(20), ...event }, record);
}
const goal = (changes: object = {}) => incident(2, 413, '19:01', { participant_id: HOME, ...changes });
const start = incident(1, 429, '00:00');

describe('the story of a goal', () => {
  beforeEach(() => publish(start));

  test('reported for review, then confirmed', () => {
    publish(goal({ confirmation: 'tbd' }));
    expect(lines().at(-1)).toBe(
      '20 Goal\n  Awaiting confirmation.\n  Reported, awaiting confirmation | 0–0 → 1–0',
    );
    publish(goal({ confirmation: 'confirmed' }));
    expect(lines().at(-1)).toBe(
      '20 Goal\n  Reported, awaiting confirmation | 0–0 → 1–0\n  Confirmed | firm 0–0 → 1–0',
    );
  });

  test('removed, then restored', () => {
    publish(goal());
    publish(goal({ action: 'delete' }));
    expect(lines().at(-1)).toBe(
      '20 Goal\n  Does not count: the provider removed it.\n  Reported, confirmed | 0–0 → 1–0 | firm 0–0 → 1–0\n  Removed by the provider; it no longer counts | 1–0 → 0–0 | firm 1–0 → 0–0',
    );
    publish(goal());
    expect(lines().at(-1)).toBe(
      '20 Goal\n  Reported, confirmed | 0–0 → 1–0 | firm 0–0 → 1–0\n  Removed by the provider; it no longer counts | 1–0 → 0–0 | firm 1–0 → 0–0\n  Restored by the provider; it counts again | 0–0 → 1–0 | firm 0–0 → 1–0',
    );
  });

  test('cancelled by a 424, reinstated when that is cancelled', () => {
    publish(goal());
    const cancelled = incident(3, 424, '19:40', { participant_id: HOME, parent_id: '5-100002' });
    publish(cancelled);
    expect(lines().at(-2)).toBe(
      '20 Goal\n  Does not count: cancelled by a “goal cancelled” incident.\n  Reported, confirmed | 0–0 → 1–0 | firm 0–0 → 1–0\n  Cancelled by a “goal cancelled” incident | 1–0 → 0–0 | firm 1–0 → 0–0',
    );
    publish({ ...cancelled, confirmation: 'cancelled' });
    expect(lines().at(-2)).toContain('Cancellation withdrawn: goal stands | 0–0 → 1–0');
    expect(lines().at(-1)).toContain('Cancellation withdrawn: goal stands.');
  });

  test('corrected to the other team', () => {
    publish(goal());
    publish(goal({ participant_id: AWAY }));
    expect(lines().at(-1)).toBe(
      '20 Goal\n  Reported, confirmed | 0–0 → 1–0 | firm 0–0 → 1–0\n  Details changed; it now counts for the other team | 1–0 → 0–1 | firm 1–0 → 0–1',
    );
    const score = details().history.findLast(({ kind }) => kind === 'score');
    expect(score).toMatchObject({ what: 'Score 1–0 → 0–1', incident_id: '5-100002' });
  });

  test('has the score after each goal that counts, and the canceller of a void goal', () => {
    publish(goal({ incident_id: 423 }));
    publish(goal({ id: '5-100004', event_time: '21:00' }));
    publish(goal({ id: '5-100005', event_time: '22:00' }));
    publish(incident(6, 424, '22:40', { participant_id: HOME, parent_id: '5-100004' }));
    expect(details().timeline.map((one) => [one.id, one.running_score, one.void_by])).toEqual([
      ['5-100001', null, null],
      ['5-100002', '0–1', null],
      ['5-100004', null, '5-100006'],
      ['5-100005', '1–1', null],
      ['5-100006', null, null],
    ]);
  });

  test('joins the two incidents of a substitution into one row, by team and time', () => {
    const change = (n: number, type: number, name: string, time: string, team = HOME) =>
      publish(incident(n, type, time, { participant_id: team, subparticipant_name: name }));
    change(9, 450, 'D', '60:50', AWAY);
    change(10, 450, 'A', '60:10');
    change(11, 450, 'B', '60:50');
    change(12, 452, 'Y', '60:50');
    change(13, 452, 'X', '60:10');
    change(17, 452, 'W', '60:50', AWAY);
    // Whoever came for C was never reported.
    change(14, 450, 'C', '70:10');
    change(15, 452, 'Z', '70:50');
    const rows = details().timeline.slice(1);
    expect(rows.map(({ name, player, replaces }) => [name, player, replaces])).toEqual([
      ['Substitution', 'Y', 'B'],
      ['Substitution', 'X', 'A'],
      ['Substitution out', 'C', null],
      ['Substitution in', 'Z', null],
      ['Substitution', 'W', 'D'],
    ]);
  });

  test('says that a 424 without its goal cancels nothing', () => {
    publish(incident(3, 424, '19:40', { participant_id: HOME, parent_id: '5-999999' }));
    expect(lines().at(-1)).toContain('Matches no known goal: no goal is cancelled.');
  });

  test('says that a goal of neither team counts for no one', () => {
    publish(goal({ participant_id: 99 }));
    expect(lines().at(-1)).toContain('Counts for no one: its team is not one of the two.');
  });

  test('shows no minute for a kick of the shoot-out', () => {
    publish(goal({ event_status_id: 141, event_time: '120:00' }), { status_id: 141 });
    expect(lines().at(-1)).toMatch(/^– Goal/);
  });
});

test('lists important incidents and possible ones, in order of id', () => {
  publish(start);
  publish(incident(5, 1827, '19:00'));
  publish(incident(4, 408, '18:00', { participant_id: AWAY }));
  publish(incident(3, 419, '17:00', { participant_id: AWAY }));
  const names = details().timeline.map(({ name }) => name);
  expect(names).toEqual(['1st half started', 'Yellow card', 'Possible goal']);
});

test('shows added time as reported', () => {
  playSerbiaBrazil(played, NOW);
  const added = details().timeline.find(({ kind }) => kind === 'added_time');
  expect(added).toMatchObject({ minute: '45', added: '2' });
});

test('lists changes of guard and status in the history', () => {
  publish(start);
  publish(goal({ confirmation: 'tbd' }));
  publish(goal({ confirmation: 'confirmed' }));
  publish(incident(3, 445, '47:00'), { status_id: 9, clock_status: 'stopped' });
  expect(details().history.map(({ what }) => what)).toEqual([
    'Score reported: 0–0',
    'Status: 1st half',
    'Provider’s betting: active',
    'Feed not believed: health unknown',
    'Score 0–0 → 1–0',
    'Guard closed: score under review',
    'Guard opened',
    'Status: Halftime',
    'Guard closed: play is stopped',
  ]);
});

test('lists a score that no goal changed in the history', () => {
  for (const away of [1, 2]) {
    at += 10;
    played.publish(match, at, { status_id: 11, status_type: 'finished', reported: [3, away] });
  }
  expect(details().history.map(({ what }) => what)).toContain(
    'Score changed without a known goal: 3–1 → 3–2',
  );
});

test('lists no change of the guard after the end of a match', () => {
  publish(start);
  publish(goal({ confirmation: 'tbd' }));
  at += 10;
  const final = { status_id: 11, status_type: 'finished', clock_status: 'stopped', bet_status: 'suspended' };
  played.publish(match, at, final, incident(4, 437, '93:00'));
  publish(goal({ confirmation: 'confirmed' }), final);
  const kinds = details().history.map(({ kind }) => kind);
  expect(kinds.lastIndexOf('status')).toBeGreaterThan(kinds.lastIndexOf('halted'));
  expect(kinds).not.toContain('safe');
  publish(goal({ confirmation: 'confirmed' }), { status_id: 34, status_type: 'live', bet_status: 'active' });
  expect(details().history.map(({ what }) => what)).toContain('Status: 2nd half');
});

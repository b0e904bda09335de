import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type MatchDetails, matchDetails } from './match-details.ts';
import { Played } from './testing/playing.ts';
import { firstHalf, incident, SERBIA_BRAZIL as match, playSerbiaBrazil } from './testing/scenes.ts';

const NOW = 1_790_000_000;
const [HOME, AWAY] = [match.home[0], match.away[0]];

let played: Played;
beforeEach(() => {
  played = new Played();
});
afterEach(() => played.close());

function details(): MatchDetails {
  const found = matchDetails(played.views, match.id);
  if (found === null) throw new Error('the match is not there');
  return found;
}

/** Each incident's line and its story as short texts. */
function told(): string[] {
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

let at = NOW;
function tell(told: Readonly<Record<string, unknown>>, event: Readonly<Record<string, unknown>> = {}): void {
  at += 10;
  played.tell(match, at, { ...firstHalf(20), ...event }, told);
}
const goal = (changes: object = {}) => incident(2, 413, '19:01', { participant_id: HOME, ...changes });
const start = incident(1, 429, '00:00');

describe('the story of a goal', () => {
  beforeEach(() => tell(start));

  test('told to be confirmed, then confirmed', () => {
    tell(goal({ confirmation: 'tbd' }));
    expect(told().at(-1)).toBe('20 Goal\n  Still to be confirmed.\n  Told, to be confirmed | 0–0 → 1–0');
    tell(goal({ confirmation: 'confirmed' }));
    expect(told().at(-1)).toBe('20 Goal\n  Told, to be confirmed | 0–0 → 1–0\n  Confirmed | firm 0–0 → 1–0');
  });

  test('told to be confirmed, then cancelled', () => {
    tell(goal({ confirmation: 'tbd' }));
    tell(goal({ confirmation: 'cancelled' }));
    expect(told().at(-1)).toBe(
      '20 Goal\n  Does not count: the provider cancelled it.\n  Told, to be confirmed | 0–0 → 1–0\n  Cancelled by the provider; it no longer counts | 1–0 → 0–0',
    );
  });

  test('removed, and back on the list', () => {
    tell(goal());
    tell(goal({ action: 'delete' }));
    expect(told().at(-1)).toBe(
      '20 Goal\n  Does not count: the provider took it off its list.\n  Told, confirmed | 0–0 → 1–0 | firm 0–0 → 1–0\n  Taken off the provider’s list; it no longer counts | 1–0 → 0–0 | firm 1–0 → 0–0',
    );
    tell(goal());
    expect(told().at(-1)).toBe(
      '20 Goal\n  Told, confirmed | 0–0 → 1–0 | firm 0–0 → 1–0\n  Taken off the provider’s list; it no longer counts | 1–0 → 0–0 | firm 1–0 → 0–0\n  Back on the provider’s list; it counts again | 0–0 → 1–0 | firm 0–0 → 1–0',
    );
  });

  test('taken back by a 424, and given again when that is cancelled', () => {
    tell(goal());
    const cancelled = incident(3, 424, '19:40', { participant_id: HOME, parent_id: '5-100002' });
    tell(cancelled);
    expect(told().at(-2)).toBe(
      '20 Goal\n  Does not count: a “goal cancelled” incident takes it back.\n  Told, confirmed | 0–0 → 1–0 | firm 0–0 → 1–0\n  Taken back by a “goal cancelled” incident | 1–0 → 0–0 | firm 1–0 → 0–0',
    );
    tell({ ...cancelled, confirmation: 'cancelled' });
    expect(told().at(-2)).toContain('Given again | 0–0 → 1–0');
    expect(told().at(-1)).toContain('Does not stand: the provider cancelled it.');
  });

  test('a 424 without its goal takes nothing back, and says so', () => {
    tell(incident(3, 424, '19:40', { participant_id: HOME, parent_id: '5-999999' }));
    expect(told().at(-1)).toContain('Names no goal that is known: nothing is taken back.');
  });

  test('a goal of no one is told as one', () => {
    tell(goal({ participant_id: 99 }));
    expect(told().at(-1)).toContain('Counts for no one: its team is not one of the two.');
  });

  test('a kick of the shoot-out has no minute', () => {
    tell(goal({ event_status_id: 141, event_time: '120:00' }), { status_id: 141 });
    expect(told().at(-1)).toMatch(/^– Goal/);
  });
});

test('only what is important is told, or what may become so; in order of id', () => {
  tell(start);
  tell(incident(5, 1827, '19:00'));
  tell(incident(4, 408, '18:00', { participant_id: AWAY }));
  tell(incident(3, 419, '17:00', { participant_id: AWAY }));
  expect(details().timeline.map(({ name }) => name)).toEqual([
    '1st half started',
    'Yellow card',
    'Possible goal',
  ]);
});

test('added time is as long as it was told', () => {
  playSerbiaBrazil(played, NOW);
  expect(details().timeline.find(({ kind }) => kind === 'added_time')).toMatchObject({
    minute: '45',
    added: '2',
  });
});

test('the history tells the guard and the status', () => {
  tell(start);
  tell(goal({ confirmation: 'tbd' }));
  tell(goal({ confirmation: 'confirmed' }));
  tell(incident(3, 445, '47:00'), { status_id: 9, clock_status: 'stopped' });
  expect(details().history.map(({ what }) => what)).toEqual([
    'Score known: 0–0',
    'Status: 1st half',
    'Provider’s betting: active',
    'Trading halted: score under review',
    'Safe to trade',
    'Status: Halftime',
    'Trading halted: play is stopped',
  ]);
});

test('a score that no goal changed is told in the history', () => {
  for (const reported of [
    [3, 1],
    [3, 2],
  ]) {
    at += 10;
    played.tell(match, at, { status_id: 11, status_type: 'finished', reported });
  }
  expect(details().history.map(({ what }) => what)).toContain('Score, by no goal that is known: 3–1 → 3–2');
});

test('nobody told of it: there is nothing', () => {
  expect(matchDetails(played.views, 1)).toBeNull();
});

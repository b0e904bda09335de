import { HOSTILE_NAME } from '#views/testing/ranking.ts';
import { type FixtureMatch, LEVEL_IDS, type PlayedViews } from './playing.ts';
import { leagueTable } from './provider-tables.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The match of `playSerbiaBrazil`. */
export const SERBIA_BRAZIL: FixtureMatch = {
  id: 3100041,
  home: [31528, 'Serbia'],
  away: [31504, 'Brazil'],
  event: { start_date: '2018-06-27 18:00' },
};

const INCIDENT_NAMES: Readonly<Record<number, string>> = {
  413: 'Goal',
  418: 'Red card',
  419: 'Yellow card',
  420: 'Penalty',
  421: 'Penalty goal',
  424: 'Goal cancelled',
  429: '1st half started',
  430: '2nd half started',
  437: 'Finished regular time',
  445: 'Halftime',
  449: 'Added time',
  1827: 'Possible goal',
  1834: 'Possible VAR',
};

/** Returns an incident record of the provider. `n` makes its id; `time`: event time, `mm:ss`. */
export function incident(n: number, type: number, time: string, changes: Fields = {}): Fields {
  return {
    id: `5-${100_000 + n}`,
    action: 'insert',
    incident_id: type,
    incident_name: INCIDENT_NAMES[type] ?? 'Incident',
    participant_id: null,
    subparticipant_name: null,
    event_status_id: 33,
    event_time: time,
    confirmation: 'confirmed',
    parent_id: null,
    ...changes,
  };
}

/** Returns the fields of an event in its first half, `minute` minutes after the kick-off. */
export function firstHalf(minute: number): Fields {
  return {
    status_id: 33,
    status_type: 'live',
    clock_status: 'running',
    clock_time: minute * 60,
    bet_status: 'active',
  };
}

/** Returns the fields of an event in its second half, `minute` minutes after the start of that half. */
export function secondHalf(minute: number): Fields {
  return { ...firstHalf(minute), status_id: 34 };
}

/** Publishes a match up to its 65th minute: a confirmed goal, a cancelled one and one under review. `now`: Unix seconds. */
export function playSerbiaBrazil(played: PlayedViews, now: number): void {
  const match = SERBIA_BRAZIL;
  const kickOff = now - 83 * 60;
  const [home, away] = [match.home[0], match.away[0]];
  const publish = (minute: number, event: Fields, incidentFields?: Fields): void =>
    played.publish(match, Math.floor(kickOff + minute * 60), event, incidentFields);
  const late = { event_status_id: 34 };
  const goal = (
    n: number,
    time: string,
    [team, id, player]: readonly [number, number, string],
    more: Fields,
  ) =>
    incident(n, 413, time, {
      participant_id: team,
      subparticipant_id: id,
      subparticipant_name: player,
      confirmation: 'tbd',
      ...more,
    });
  const paulinho = (more: Fields): Fields =>
    goal(3, '35:12', [away, 1001, 'Paulinho'], { additional_info: { assistant_name: 'Coutinho' }, ...more });
  publish(0, { ...firstHalf(0), reported: [0, 0] }, incident(1, 429, '00:00'));
  const warned = { participant_id: home, subparticipant_name: 'Ljajić' };
  publish(9, firstHalf(9), incident(2, 419, '08:40', warned));
  publish(36, { ...firstHalf(36), reported: [0, 1] }, paulinho({}));
  const confirmed = { action: 'update', confirmation: 'confirmed' };
  publish(37, { ...firstHalf(37), reported: [0, 1] }, paulinho(confirmed));
  publish(45, firstHalf(45), incident(4, 449, '45:00', { info: '2' }));
  const halftime = { status_id: 9, status_type: 'live', clock_status: 'stopped', clock_time: 2700 };
  publish(47, halftime, incident(5, 445, '46:50'));
  publish(62, { ...secondHalf(0), reported: [0, 1] }, incident(6, 430, '45:00', late));
  const mitrovic = goal(7, '53:20', [home, 1002, 'Mitrović'], late);
  publish(71, { ...secondHalf(9), reported: [1, 1] }, mitrovic);
  publish(72, secondHalf(10), incident(8, 1834, '54:00', late));
  const cancelled = { ...late, participant_id: home, parent_id: '5-100007' };
  publish(73, { ...secondHalf(11), reported: [0, 1] }, incident(9, 424, '55:10', cancelled));
  publish(74, secondHalf(12), incident(10, 2753, '55:30', late));
  const assisted = { ...late, additional_info: { assistant_name: 'Neymar' } };
  const silva = goal(11, '64:30', [away, 1003, 'Thiago Silva'], assisted);
  publish(82, { ...secondHalf(20), reported: [0, 2] }, silva);
}

const OTHERS: readonly (readonly [number, string, string])[] = [
  [3100042, 'Switzerland', 'Costa Rica'],
  [3100043, 'Korea Republic', 'Germany'],
  [3100044, 'Mexico', 'Sweden'],
  [3100045, 'Senegal', 'Colombia'],
  [3100046, 'Japan', 'Poland'],
];

/** Publishes live, finished and upcoming matches. `now`: Unix seconds. */
export function playBoard(played: PlayedViews, now: number): void {
  const at = Math.floor(now);
  played.name('group', 31212, LEVEL_IDS.stage_id, 'Group F');
  played.name('stage', 3122, LEVEL_IDS.season_id, 'Final');
  OTHERS.forEach(([id, home, away], n) => {
    const group_id = n === 0 ? LEVEL_IDS.group_id : 31212;
    const fixture: FixtureMatch = {
      id,
      home: [40_000 + n, home],
      away: [41_000 + n, away],
      event: { start_date: `2018-06-2${n < 3 ? 7 : 8} ${n < 3 ? 14 : 16}:00`, group_id },
    };
    const goal = (nth: number, side: 'home' | 'away', time: string, changes: Fields = {}): Fields =>
      incident(nth, 413, time, { participant_id: fixture[side][0], ...changes });
    if (n === 0) {
      played.publish(fixture, at - 300, { ...secondHalf(40), reported: [1, 0] }, incident(1, 429, '00:00'));
      played.publish(fixture, at - 240, { ...secondHalf(41), reported: [1, 0] }, goal(2, 'home', '30:30'));
      played.publish(fixture, at - 20, secondHalf(46), incident(3, 1827, '90:30', { event_status_id: 34 }));
    } else if (n < 3) {
      played.publish(fixture, at - 9000, { ...firstHalf(0), reported: [0, 0] }, incident(1, 429, '00:00'));
      for (let scored = 0; scored < n + 1; scored += 1) {
        played.publish(fixture, at - 8000 + scored, firstHalf(9), goal(2 + scored, 'home', `1${scored}:10`));
      }
      const over = { status_id: 11, status_type: 'finished', clock_status: 'stopped', clock_time: 0 };
      played.publish(fixture, at - 3600, { ...over, reported: [2, 0] });
    } else
      played.publish(fixture, at - 90_000, { status_id: 1, status_type: 'scheduled', bet_status: 'active' });
  });
  const hostile: FixtureMatch = {
    id: 3100064,
    home: [42_001, HOSTILE_NAME],
    away: [42_002, 'Bosnia and Herzegovina Under-21 Representative Selection'],
    event: { start_date: '2018-07-15 17:00', stage_id: 3122, group_id: null },
  };
  played.publish(hostile, at - 80_000, { status_id: 1, status_type: 'scheduled' });
}

/** Id of the stage of the semi-finals in `playKnockOut`; the match for third place and the final follow. */
export const SEMI_FINALS = 3130;

/** Publishes semi-finals, one decided on penalties, a match for third place, a live final and a league table. `now`: Unix seconds. */
export function playKnockOut(played: PlayedViews, now: number): void {
  const at = Math.floor(now);
  const names = ['Croatia', 'England', 'France', 'Belgium'];
  const stages = ['Semi-finals', 'Third place', 'Final'];
  stages.forEach((name, n) => {
    const knockOut = { has_brackets: 'yes', show_standings: 'no', sort: n + 2 };
    played.name('stage', SEMI_FINALS + n, LEVEL_IDS.season_id, name, knockOut);
  });
  const pairs = [
    [0, 1, 0, { status_id: 13, status_type: 'finished', reported: [1, 1] }],
    [2, 3, 0, { status_id: 11, status_type: 'finished', reported: [1, 0] }],
    [3, 1, 1, { status_id: 1, status_type: 'scheduled' }],
    [2, 0, 2, { ...secondHalf(20), reported: [2, 1] }],
  ] as const;
  pairs.forEach(([home, away, stage, event], n) => {
    const fixture: FixtureMatch = {
      id: 3_100_070 + n,
      home: [43_000 + home, names[home] ?? ''],
      away: [43_000 + away, names[away] ?? ''],
      event: { start_date: `2018-07-1${n} 18:00`, stage_id: SEMI_FINALS + stage, group_id: null },
    };
    played.publish(fixture, at - 600 + n, event);
    for (const kick of n === 0 ? [1, 2, 3] : []) {
      const scorer = fixture[kick === 2 ? 'away' : 'home'][0];
      const shot = { participant_id: scorer, event_status_id: 141 };
      played.publish(fixture, at - 500 + kick, event, incident(30 + kick, 413, '120:00', shot));
    }
  });
  played.table(39_730, 2, 'League standings', leagueTable(), 1, SEMI_FINALS);
}

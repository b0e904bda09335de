/** The courses of real matches of other sports than soccer, as the provider reports them: statuses, results and the match time. */

/** The value of a result of both sides. `name`: as the record names it; without it, only its id is reported. */
type SportResult = readonly [id: number, home: number, away: number, name?: string];

/** A moment of a match: `shown` is the board's text, `minute` that of tools where it differs by more than its sign. */
type CourseStep = {
  readonly status: number;
  readonly score: readonly [home: number, away: number] | null;
  /** Reported match time, seconds; in a sport without a clock no surface shows it. */
  readonly played?: number;
  /** The name that the provider reports with the status; left out: none. */
  readonly named?: string;
  readonly results?: readonly SportResult[];
  readonly shown: string;
  readonly minute?: string;
};

type Course = {
  readonly sport: string;
  readonly sport_id: number;
  /** Whether the sport has a clock (`has_timer`); default true. */
  readonly clock?: false;
  /** A type of incident of the sport that soccer's rules must not read. */
  readonly incident: readonly [type: number, name: string];
  readonly steps: readonly CourseStep[];
  /** The results of its parts at the end. */
  readonly periods: readonly string[];
};

const of = (...results: readonly SportResult[]) => results;

const BEFORE: CourseStep = { status: 1, score: null, shown: '12:00' };

/** NBA Finals 2013, game 6: Miami 103, San Antonio 100, after overtime. */
const QUARTERS = of([50, 27, 25], [51, 17, 25], [52, 21, 25], [53, 30, 20], [702, 8, 5]);
/** The Olympic final of ice hockey 2010. No source shows the ids of periods: the records name them. */
const PERIODS = of(
  [9_001, 1, 0, 'First period'],
  [9_002, 1, 1, 'Second period'],
  [9_003, 0, 1, 'Third period'],
  [104, 1, 0],
);
/** The Olympic final of volleyball 2016. */
const SETS = of([43, 25, 22], [44, 28, 26], [45, 26, 24]);
/** The Olympic final of handball 2012: France 22, Sweden 21. */
const HALVES = of([4, 10, 8], [5, 12, 13]);
const FIRST_HALF = HALVES.slice(0, 1);

const IN_SECOND = of([43, 4, 6], [44, 2, 3]);

export const COURSES: readonly Course[] = [
  {
    sport: 'basketball with overtime',
    sport_id: 1,
    incident: [160, '3-point shot made'],
    steps: [
      BEFORE,
      { status: 8, score: [27, 25], played: 719, results: QUARTERS.slice(0, 1), shown: '12′' },
      { status: 213, score: [44, 50], played: 1_440, results: QUARTERS.slice(0, 2), shown: '24′' },
      { status: 20, score: [95, 95], played: 2_880, results: QUARTERS.slice(0, 4), shown: '48′' },
      { status: 139, score: [103, 100], played: 3_170, results: QUARTERS, shown: '53′' },
      { status: 140, score: [103, 100], played: 3_180, results: QUARTERS, shown: 'AOT' },
    ],
    periods: [
      'First quarter 27–25',
      'Second quarter 17–25',
      'Third quarter 21–25',
      'Fourth quarter 30–20',
      'First overtime 8–5',
    ],
  },
  {
    sport: 'ice hockey with extra time',
    sport_id: 3,
    incident: [68, 'Goal cancelled'],
    steps: [
      BEFORE,
      { status: 41, score: [1, 0], played: 770, results: PERIODS.slice(0, 1), shown: '13′' },
      { status: 42, score: [2, 1], results: PERIODS.slice(0, 2), shown: 'Break' },
      { status: 44, score: [2, 2], played: 3_575, results: PERIODS.slice(0, 3), shown: '60′' },
      { status: 14, score: [3, 2], played: 4_060, results: PERIODS, shown: 'AET' },
    ],
    periods: ['First period 1–0', 'Second period 1–1', 'Third period 0–1', 'Overtime 1–0'],
  },
  {
    sport: 'handball',
    sport_id: 6,
    incident: [266, 'Goal disallowed'],
    steps: [
      BEFORE,
      { status: 33, score: [10, 8], played: 1_790, results: FIRST_HALF, shown: '30′' },
      { status: 9, score: [10, 8], played: 1_800, results: FIRST_HALF, shown: 'HT', minute: '30' },
      { status: 34, score: [12, 10], played: 2_400, results: FIRST_HALF, shown: '40′' },
      { status: 11, score: [22, 21], played: 3_600, results: HALVES, shown: 'Ended' },
    ],
    periods: ['First half 10–8', 'Second half 12–13'],
  },
  {
    // Brisbane 2016: Pavlyuchenkova, Kerber. The provider's own example of an event.
    sport: 'tennis',
    sport_id: 4,
    clock: false,
    incident: [215, 'Set won'],
    steps: [
      BEFORE,
      { status: 134, score: [0, 0], results: of([43, 4, 5], [115, 15, 30]), shown: '1st set' },
      { status: 65, score: [0, 1], played: 2_520, named: 'Set 2', results: IN_SECOND, shown: 'Set 2' },
      { status: 11, score: [0, 2], played: 4_260, results: of([43, 4, 6], [44, 4, 6]), shown: 'Ended' },
    ],
    periods: ['First set 4–6', 'Second set 4–6'],
  },
  {
    sport: 'volleyball',
    sport_id: 2,
    clock: false,
    incident: [311, 'Set won'],
    steps: [
      BEFORE,
      { status: 134, score: [0, 0], results: SETS.slice(0, 1), shown: '1st set' },
      { status: 156, score: [2, 0], results: SETS.slice(0, 2), shown: '2nd set break' },
      { status: 135, score: [2, 0], results: SETS, shown: '3rd set' },
      { status: 11, score: [3, 0], results: SETS, shown: 'Ended' },
    ],
    periods: ['First set 25–22', 'Second set 28–26', 'Third set 26–24'],
  },
];

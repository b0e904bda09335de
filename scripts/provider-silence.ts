/**
 * Measures how long a healthy provider is silent about a live match, from the incidents of real matches (decision 0080):
 *
 *     node scripts/provider-silence.ts [FOLDER]    FOLDER has World_Cup.full.jsonl.gz and England.full.jsonl.gz of Pappalardo
 *                                      et al. 2019 (CC BY 4.0), default ../shared/data/timelines
 *
 * The timelines have fouls, set pieces, throw-ins, shots, goals and cards to the tenth of a second, and no possession or attacks.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const FILES = ['World_Cup.full.jsonl.gz', 'England.full.jsonl.gz'];
/** The provider's keep-alives come about this often, seconds. */
const KEEP_ALIVE_S = 30;
/** Wait between two reads of the live board (`LIVESCORE_PERIOD_MS`) with half a second for the read, seconds. */
const BOARD_S = 10.5;
const LIMITS_S = [10, 15, 20, 35];
/** Intervals of the messages that come beside the incidents, seconds. */
const RHYTHMS = {
  'incidents alone': [],
  'with keep-alives every 30 s': [KEEP_ALIVE_S],
  'with the live board every 10 s': [KEEP_ALIVE_S, BOARD_S],
};

type Match = {
  readonly dateutc: string;
  readonly events: readonly { readonly p: string; readonly s: number }[];
};

/** The times of incidents of one period, seconds since its start, and its length. */
type Period = { readonly times: readonly number[]; readonly length: number };

/** Returns the silences of a period with further messages at these intervals, seconds. */
export function silencesOf({ times, length }: Period, intervals: readonly number[]): number[] {
  const regular = intervals.flatMap((every) =>
    Array.from({ length: Math.floor(length / every) }, (_, n) => (n + 1) * every),
  );
  const all = [0, ...times, ...regular, length].sort((a, b) => a - b);
  return all.slice(1).map((time, n) => time - (all[n] ?? 0));
}

/** Returns the share of the time that is later than `limit` in a silence, and the number of such silences. */
export function beyond(silences: readonly number[], limit: number): { share: number; count: number } {
  const late = silences.filter((silence) => silence > limit);
  const total = silences.reduce((sum, silence) => sum + silence, 0);
  return { share: late.reduce((sum, silence) => sum + silence - limit, 0) / total, count: late.length };
}

/** Returns the periods of a match, without its shoot-out. */
function periodsOf({ events }: Match): Map<string, Period> {
  const played = Map.groupBy(
    events.filter(({ p }) => p !== 'P'),
    ({ p }) => p,
  );
  return new Map(
    Array.from(played, ([p, own]) => {
      const times = own.map(({ s }) => s);
      return [p, { times, length: Math.max(...times) }];
    }),
  );
}

/** Returns the periods of all matches with one kick-off as if one feed reported them, with their number. */
function together(matches: readonly Match[]): readonly (readonly [count: number, Period])[] {
  return [...Map.groupBy(matches, ({ dateutc }) => dateutc).values()].flatMap((same) => {
    const periods = same.map(periodsOf);
    return ['1H', '2H'].map((p): readonly [number, Period] => {
      const own = periods.flatMap((of) => of.get(p) ?? []);
      // Until the first of them ends.
      const length = Math.min(...own.map((period) => period.length));
      const times = own.flatMap((period) => period.times).filter((time) => time < length);
      return [same.length, { times, length }];
    });
  });
}

function figures(silences: readonly number[], matches: number): string {
  const columns = LIMITS_S.map((limit) => {
    const { share, count } = beyond(silences, limit);
    return `${limit} s: ${(100 * share).toFixed(1).padStart(4)} % (${(count / matches).toFixed(1)})`.padEnd(
      22,
    );
  });
  return `${columns.join('')}longest ${silences.reduce((most, one) => Math.max(most, one), 0).toFixed(0)} s`;
}

function main(folder: string): void {
  const matches = FILES.flatMap((file): Match[] =>
    gunzipSync(readFileSync(join(folder, file)))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  console.log(
    `${matches.length} matches: share of play beyond the limit in a silence (such silences a match)`,
  );
  const periods = matches.flatMap((match) => [...periodsOf(match).values()]);
  for (const [name, intervals] of Object.entries(RHYTHMS)) {
    const silences = periods.flatMap((period) => silencesOf(period, intervals));
    console.log(`${name.padEnd(34)}${figures(silences, matches.length)}`);
  }
  console.log('all matches of a kick-off together, incidents alone (such silences a kick-off)');
  for (const [count, group] of [...Map.groupBy(together(matches), ([n]) => n)].sort((a, b) => a[0] - b[0])) {
    const silences = group.flatMap(([, period]) => silencesOf(period, []));
    const name = `${count} live, ${group.length / 2} times`;
    console.log(`${name.padEnd(34)}${figures(silences, group.length / 2)}`);
  }
}

if (import.meta.main) main(process.argv[2] ?? '../shared/data/timelines');

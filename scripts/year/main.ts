/**
 * `npm run year` plays a year of operation against the real platform: broker, registry and all services run as processes on a
 * wall clock that steps by days (libfaketime). Prints what failed or grows, and writes the record as JSON.
 *
 *     npm run year [-- --until 2027-10-02] [--minutes 25] [--out FILE]      needs Debian's faketime, Java and Maven
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CUSTOMER_EXPIRES, FIRST_DAY, happen, hasEvent, LAST_DAY } from './calendar.ts';
import { require } from './checks.ts';
import { LIBFAKETIME, SteppedClock } from './clock.ts';
import { judgeGrowth } from './measure.ts';
import { DAY, Year, type YearRecord } from './year.ts';

/** Real time that everything runs before the clock steps from one day to the next, milliseconds. */
const DAY_TAKES_MS = 250;
/** When the clock arrives in a day, UTC: before the first kick-off. */
const WAKES = '00:10:00';
/** Quiet days in a row that the clock steps at once. */
const QUIET_DAYS = 3;
/** A match day on which the machine sleeps again and again, for half an hour each. */
const MACHINE_SLEEPS = '2028-04-15';
/** The last day on which the customer's certificate is not renewed. */
const SILENT_DAY = '2028-07-29';
const SECOND_SEASON_ANNOUNCED = '2028-07-01';
const SHARED_MEMORY = '/dev/shm';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      until: { type: 'string', default: LAST_DAY },
      minutes: { type: 'string', default: '25' },
      out: { type: 'string', default: '.touchline/year.json' },
    },
  });
  if (LIBFAKETIME === undefined) {
    console.error('the year is not played: libfaketime is not installed (apt install faketime)');
    return 75;
  }
  mkdirSync(dirname(values.out), { recursive: true });
  const shared = new Set(readdirSync(SHARED_MEMORY));
  const folder = mkdtempSync(join(tmpdir(), 'touchline-year-'));
  try {
    const record = await yearIn(folder, LIBFAKETIME, values.until, Number(values.minutes) * 60_000);
    writeFileSync(values.out, `${JSON.stringify(record, null, 1)}\n`);
    return report(record, values.out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    // libfaketime leaves the shared memory of killed processes.
    for (const name of readdirSync(SHARED_MEMORY))
      if (name.includes('faketime') && !shared.has(name)) rmSync(join(SHARED_MEMORY, name), { force: true });
  }
}

async function yearIn(
  folder: string,
  library: string,
  until: string,
  deadlineMs: number,
): Promise<YearRecord> {
  const began = performance.now();
  const clock = new SteppedClock(library, folder, Date.parse(`${FIRST_DAY}T${WAKES}Z`));
  const year = await Year.start(folder, clock, Date.parse(`${CUSTOMER_EXPIRES}T00:00:00Z`));
  try {
    let isStopped = false;
    // The day ends, so that everything that was started ends too.
    process.once('SIGINT', () => {
      isStopped = true;
    });
    const isLate = () => isStopped || performance.now() - began > deadlineMs;
    const isWhole = await play(year, until, isLate).catch(async (error: unknown) => {
      // What was found until then is still reported.
      await year.check('the year goes on', () => Promise.reject(error));
      return false;
    });
    return {
      realSeconds: (performance.now() - began) / 1_000,
      checks: year.checks,
      growth: isWhole && until === LAST_DAY ? judgeGrowth(year.samples) : [],
      samples: year.samples,
    };
  } finally {
    await year.stop();
  }
}

/** Plays all days until this one, or until it takes too long. Returns whether it came to the end. */
async function play(year: Year, until: string, isLate: () => boolean): Promise<boolean> {
  await year.announce(year.matches.filter(({ season }) => season === 0));
  let quiet = 0;
  for (let at = Date.parse(`${FIRST_DAY}T${WAKES}Z`) + DAY; ; at += DAY) {
    const day = new Date(at).toISOString().slice(0, 10);
    if (day > until || isLate()) break;
    quiet = isQuiet(year, day) ? quiet + 1 : 0;
    if (quiet > 0 && quiet < QUIET_DAYS && day !== until) continue;
    quiet = 0;
    await year.stepTo(at);
    await happen(year, day);
    if (day === SECOND_SEASON_ANNOUNCED)
      await year.announce(year.matches.filter(({ season }) => season === 1));
    await matchDay(year, day);
    await delay(DAY_TAKES_MS);
    if (day.endsWith('-01')) {
      await year.settle();
      await year.checkMonth();
    }
    await year.sample();
  }
  await year.settle();
  await year.checkMonth();
  const isWhole = !isLate();
  await year.check('the year is played to its end', () =>
    require(isWhole, 'it was stopped, or took too long'),
  );
  return isWhole;
}

/** Whether nothing happens on a day. */
function isQuiet({ matches }: Year, day: string): boolean {
  if (day === SECOND_SEASON_ANNOUNCED || hasEvent(day)) return false;
  return !matches.some((match) => match.day === day || match.announced === day);
}

async function matchDay(year: Year, day: string): Promise<void> {
  const postponed = year.matches.filter((match) => match.announced === day && match.day !== day);
  if (postponed.length > 0) await year.postpone(postponed);
  const today = year.matches.filter((match) => match.day === day);
  if (today.length === 0) return;
  if (day === SILENT_DAY) year.isCustomerAway = true;
  await year.playDay(today, day === MACHINE_SLEEPS);
  const settledMs = await year.settle();
  year.note(
    `${today.length} matches are played, served ${(settledMs / 1_000).toFixed(1)} s after the last delivery`,
  );
}

/** Prints the outcome. Returns the exit code: 1 when a check failed or a measure grows. */
function report({ checks, growth, realSeconds }: YearRecord, file: string): number {
  const failed = checks.filter(({ problem }) => problem !== null);
  const grown = growth.filter(({ isFlat }) => !isFlat);
  for (const { what, problem } of failed) console.log(`failed: ${what}: ${problem}`);
  for (const { what, second, last, limit } of grown)
    console.log(`grows: ${what}: ${second.toFixed(0)}, then ${last.toFixed(0)}, limit ${limit.toFixed(0)}`);
  console.log(
    `${checks.length - failed.length} of ${checks.length} checks passed, ${growth.length - grown.length} of ${growth.length} measures are flat, in ${Math.round(realSeconds)} s: ${file}`,
  );
  return failed.length + grown.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();

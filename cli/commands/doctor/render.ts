/** Renders what `touchline doctor` found: first the findings, then the tables. Pure. */
import type { RefusedList } from '#records/types.ts';
import { feedWords } from '#story/feed-words.ts';
import type { SourceFeedStatus } from '#trading/feed-status.ts';
import { type TextColumn, tableLines } from '../../table.ts';
import { escapeLine, secondsText } from '../../values.ts';
import type { CheckResult } from './finding.ts';
import type { ProcessorStatus, SystemTables } from './system.ts';

/** Returns a line for each finding, failures first, its advice below it; and the counts. `isShort` leaves out what is fine. */
export function findingLines(findings: readonly CheckResult[], { isShort = false } = {}): string[] {
  const of = (status: CheckResult['status']) => findings.filter((one) => one.status === status);
  const [bad, doubtful, good] = [of('failed'), of('warning'), of('ok')];
  const lines = [...bad, ...doubtful, ...(isShort ? [] : good)].flatMap(
    ({ check, status, message, advice }) => {
      const [first = '', ...more] = message.split('\n').map(escapeLine);
      const below = [...more, ...(advice === null ? [] : [`→ ${advice}`])];
      return [
        `${status.padEnd(8)}  ${check.padEnd(8)}  ${first}`,
        ...below.map((line) => ' '.repeat(20) + line.trim()),
      ];
    },
  );
  const counts = `${bad.length} failed, ${doubtful.length} warnings, ${good.length} fine`;
  return [...lines, ...(lines.length > 0 ? [''] : []), counts];
}

/** Age above which the screen says that the broker has not answered. */
const LATE_MS = 5_000;

const PROCESSORS: readonly TextColumn<ProcessorStatus>[] = [
  { head: 'processor', of: ({ processor }) => processor },
  { head: 'processes', align: 'right', of: ({ state }) => state?.processes ?? '-' },
  { head: 'partitions', align: 'right', of: ({ state }) => state?.partitions ?? '-' },
  { head: 'behind', align: 'right', of: ({ state }) => state?.behind ?? '-' },
];
const SOURCES: readonly TextColumn<SourceFeedStatus>[] = [
  { head: 'feed', of: ({ source }) => source },
  { head: 'state', of: ({ state, believed }) => ({ text: state, style: believed ? 'green' : 'red' }) },
  { head: 'since', of: ({ since }) => since && secondsText(since) },
  {
    head: 'reason',
    minWidth: 8,
    of: (source) => (source.state === 'delayed' ? feedWords(source) : source.reason),
  },
];
const REFUSALS: Readonly<Record<string, string>> = {
  empty: 'has no incident',
  count: 'never has as many incidents as it says',
  older: 'is older than one before',
  unreadable: 'cannot be read',
};
const REFUSED_LISTS: readonly TextColumn<RefusedList>[] = [
  { head: 'list of', align: 'right', of: ({ event_id }) => event_id },
  { head: 'since', of: ({ since }) => secondsText(since) },
  { head: 'changes nothing, as it', minWidth: 12, of: ({ reason }) => REFUSALS[reason] ?? reason },
];
/** Returns the lines of the tables at `now`, Unix milliseconds, by default that of reading; `width` is as for `tableLines`. */
export function systemLines(tables: SystemTables | null, width: number | null, now?: number): string[] {
  if (tables === null) return [];
  const { at, prefix, processors, deadLetters, sources, refusedLists } = tables;
  const age = (now ?? at) - at;
  const below = <T>(columns: readonly TextColumn<T>[], rows: readonly T[]): string[] =>
    rows.length === 0 ? [] : ['', ...tableLines(columns, rows, width)];
  return [
    '',
    `${prefix}  ${secondsText(at)}${age > LATE_MS ? `  ${Math.floor(age / 1000)} s ago: the broker has not answered since` : ''}`,
    ...below(PROCESSORS, processors),
    '',
    `dead letters  ${deadLetters ?? 'unknown'}${deadLetters ? '  npx touchline dead-letters list' : ''}`,
    ...below(SOURCES, sources),
    ...below(REFUSED_LISTS, refusedLists),
  ];
}

/** Renders the screen of `touchline status`. Pure. */
import type { RefusedList } from '#records/types.ts';
import { feedWords } from '#story/feed-words.ts';
import type { SourceFeedStatus } from '#trading/feed-status.ts';
import { type TextCell, type TextColumn, tableLines } from '../../table.ts';
import { secondsText } from '../../values.ts';
import type { ProcessStatus } from './processes.ts';

/** A processor as the broker knows it. */
export type ProcessorStatus = {
  readonly processor: string;
  /** Null when its topics do not exist. */
  readonly state: {
    readonly processes: number;
    readonly partitions: number;
    readonly behind: number;
    /** Partitions whose position is outside of their input: they are refused. */
    readonly outside: readonly number[];
  } | null;
};

/** What the screen shows. */
export type SystemStatus = {
  /** Time of reading, Unix milliseconds. */
  readonly at: number;
  readonly prefix: string;
  readonly processors: readonly ProcessorStatus[];
  /** Number of open dead letters; null when the topic does not exist. */
  readonly deadLetters: number | null;
  /** Records that nobody can read, a line each. */
  readonly unreadable: readonly string[];
  /** The status of each source of messages that has a record. */
  readonly sources: readonly SourceFeedStatus[];
  /** Events whose latest incident list the poller refuses, the earliest first. */
  readonly refusedLists: readonly RefusedList[];
  readonly processes: readonly ProcessStatus[];
};

const MIB = 1024 * 1024;

/** Age above which the screen says that the broker has not answered. */
const LATE_MS = 5_000;

const PROCESSORS: readonly TextColumn<ProcessorStatus>[] = [
  { head: 'processor', of: ({ processor }) => processor },
  { head: 'processes', align: 'right', of: ({ state }) => state?.processes ?? '-' },
  { head: 'partitions', align: 'right', of: ({ state }) => state?.partitions ?? '-' },
  { head: 'behind', align: 'right', of: ({ state }) => state?.behind ?? '-' },
  { head: '', minWidth: 12, of: noteCell },
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
const PROCESSES: readonly TextColumn<ProcessStatus>[] = [
  { head: 'process', minWidth: 12, of: (one) => ('problem' in one ? one.url : one.service) },
  {
    head: 'MiB',
    align: 'right',
    of: (one) => ('problem' in one ? '-' : Math.round(one.residentBytes / MIB)),
  },
  { head: 'restored', align: 'right', of: (one) => ('problem' in one ? '-' : one.restoredRecords) },
  { head: 'undecided', align: 'right', of: (one) => ('problem' in one ? '-' : one.undecidedRecords) },
  { head: 'tasks', minWidth: 12, of: tasksCell },
];

/** Returns the lines of the screen at `now`, Unix milliseconds; `width` is as for `tableLines`. */
export function renderStatus(status: SystemStatus, width: number | null, now = status.at): string[] {
  const { at, prefix, processors, deadLetters, unreadable, sources, refusedLists, processes } = status;
  const letters = deadLetters === null ? 'no topic' : String(deadLetters);
  return [
    `${prefix}  ${secondsText(at)}${now - at > LATE_MS ? `  ${Math.floor((now - at) / 1000)} s ago: the broker has not answered since` : ''}`,
    '',
    ...tableLines(PROCESSORS, processors, width),
    '',
    `dead letters  ${letters}${deadLetters ? '  npx touchline dead-letters list' : ''}`,
    ...unreadable.map((record) => `nobody can read  ${record}`),
    ...(sources.length === 0 ? [] : ['', ...tableLines(SOURCES, sources, width)]),
    ...(refusedLists.length === 0 ? [] : ['', ...tableLines(REFUSED_LISTS, refusedLists, width)]),
    ...(processes.length === 0 ? [] : ['', ...tableLines(PROCESSES, processes, width)]),
  ];
}

function noteCell({ state }: ProcessorStatus): TextCell {
  if (state === null) return 'no topics: npx touchline topics';
  if (state.outside.length > 0)
    return {
      text: `refused: partitions ${state.outside.join(', ')}, see npx touchline doctor`,
      style: 'red',
    };
  return state.processes === 0 ? { text: 'not running', style: 'yellow' } : null;
}

function tasksCell(one: ProcessStatus): TextCell {
  if ('problem' in one) return { text: one.problem, style: 'red' };
  return Object.entries(one.tasks)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
}

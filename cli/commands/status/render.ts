/** The screen of `touchline status`: pure. */
import type { SourceFeedStatus } from '#tradability/feed-status.ts';
import { type TextCell, tableLines } from '../../table.ts';

/** A processor as the broker knows it. */
export type ProcessorStatus = {
  readonly processor: string;
  /** Null where its topics are not there. */
  readonly state: {
    readonly processes: number;
    readonly partitions: number;
    readonly behind: number;
    /** Partitions whose position is outside of what the input has: they are refused. */
    readonly outside: readonly number[];
  } | null;
};

/** A system at one time. */
export type SystemStatus = {
  /** Unix milliseconds. */
  readonly at: number;
  readonly prefix: string;
  readonly processors: readonly ProcessorStatus[];
  /** Open dead letters; null where there is no such topic. */
  readonly deadLetters: number | null;
  /** The status of each source of messages; none where there is no record of one. */
  readonly sources: readonly SourceFeedStatus[];
};

/** A broker that has not answered for longer is said so, milliseconds. */
const LATE_MS = 5_000;

const PROCESSORS = [
  { head: 'processor' },
  { head: 'processes', align: 'right' },
  { head: 'partitions', align: 'right' },
  { head: 'behind', align: 'right' },
  { head: '', least: 12 },
] as const;
const SOURCES = [
  { head: 'feed' },
  { head: 'state' },
  { head: 'since' },
  { head: 'reason', least: 8 },
] as const;

/** The lines of the screen as it is drawn at `now`, Unix milliseconds; `width` as `tableLines` takes it. */
export function renderStatus(status: SystemStatus, width: number | null, now = status.at): string[] {
  const { at, prefix, processors, deadLetters, sources } = status;
  const letters = deadLetters === null ? 'no topic' : String(deadLetters);
  return [
    `${prefix}  ${new Date(at).toISOString().slice(0, 19)}Z${now - at > LATE_MS ? `  ${Math.floor((now - at) / 1000)} s ago: the broker has not answered since` : ''}`,
    '',
    ...tableLines(PROCESSORS, processors.map(processorRow), width),
    '',
    `dead letters  ${letters}${deadLetters ? '  npx touchline dead-letters list' : ''}`,
    ...(sources.length === 0 ? [] : ['', ...tableLines(SOURCES, sources.map(sourceRow), width)]),
  ];
}

function processorRow({ processor, state }: ProcessorStatus): TextCell[] {
  if (state === null) return [processor, '-', '-', '-', 'no topics: npx touchline topics'];
  const { processes, partitions, behind, outside } = state;
  const note: TextCell =
    outside.length > 0
      ? { text: `refused: partitions ${outside.join(', ')}, see npx touchline doctor`, style: 'red' }
      : processes === 0
        ? { text: 'not running', style: 'yellow' }
        : '';
  return [processor, String(processes), String(partitions), String(behind), note];
}

function sourceRow({ source, believed, state, reason, since }: SourceFeedStatus): TextCell[] {
  const from = since === null ? '' : `${new Date(since).toISOString().slice(0, 19)}Z`;
  return [source, { text: state, style: believed ? 'green' : 'red' }, from, reason ?? ''];
}

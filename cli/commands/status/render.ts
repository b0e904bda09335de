/** The screen of `touchline status`: pure. */
import type { SourceBelief } from '#tradability/belief.ts';
import { lineShown } from '../../values.ts';
import type { ProcessStatus } from './processes.ts';

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
export type Status = {
  /** Unix milliseconds. */
  readonly at: number;
  readonly prefix: string;
  readonly processors: readonly ProcessorStatus[];
  /** Open dead letters; null where there is no such topic. */
  readonly deadLetters: number | null;
  /** Whether each source of messages is to be believed; none where nothing was ever said of one. */
  readonly sources: readonly SourceBelief[];
  readonly processes: readonly ProcessStatus[];
};

const MIB = 1024 * 1024;

/** A broker that has not answered for longer is said so, milliseconds. */
const LATE_MS = 5_000;

/** The lines of the screen as it is drawn at `now`, Unix milliseconds. */
export function renderStatus(status: Status, now = status.at): string[] {
  const { at, prefix, processors, deadLetters, sources, processes } = status;
  const letters = deadLetters === null ? 'no topic' : String(deadLetters);
  return [
    `${prefix}  ${new Date(at).toISOString().slice(0, 19)}Z${now - at > LATE_MS ? `  ${Math.floor((now - at) / 1000)} s ago: the broker has not answered since` : ''}`,
    '',
    ...table([
      ['processor', 'processes', 'partitions', 'behind', ''],
      ...processors.map(({ processor, state }) =>
        state === null
          ? [processor, '-', '-', '-', 'no topics: npx touchline topics']
          : [processor, state.processes, state.partitions, state.behind, noteOf(state)].map(String),
      ),
    ]),
    '',
    `dead letters  ${letters}${deadLetters ? '  npx touchline dead-letters list' : ''}`,
    ...(sources.length === 0 ? [] : ['', ...table(sourceRows(sources))]),
    ...(processes.length === 0 ? [] : ['', ...table(processRows(processes))]),
  ];
}

function noteOf({ processes, outside }: NonNullable<ProcessorStatus['state']>): string {
  if (outside.length > 0) return `refused: partitions ${outside.join(', ')}, see npx touchline doctor`;
  return processes === 0 ? 'not running' : '';
}

function sourceRows(sources: readonly SourceBelief[]): string[][] {
  return [
    ['feed', 'state', ''],
    ...sources.map(({ source, state, reason, since }) => {
      const from = since === null ? '' : `since ${new Date(since).toISOString().slice(0, 19)}Z`;
      return [source, state, lineShown([from, reason ?? ''].filter(Boolean).join(', '))];
    }),
  ];
}

function processRows(processes: readonly ProcessStatus[]): string[][] {
  return [
    ['process', 'MiB', 'restored', 'undecided', 'tasks'],
    ...processes.map((one) => {
      if ('problem' in one) return [one.url, '-', '-', '-', lineShown(one.problem)];
      const tasks = Object.entries(one.tasks).map(([state, count]) => `${count} ${state}`);
      return [
        one.service,
        String(Math.round(one.residentBytes / MIB)),
        String(one.restoredRecords),
        String(one.undecidedRecords),
        tasks.join(', '),
      ];
    }),
  ];
}

/** Columns of text; all but the first and the last are numbers. */
function table(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        if (column === row.length - 1) return cell;
        return column === 0 ? cell.padEnd(width(column)) : cell.padStart(width(column));
      })
      .join('  ')
      .trimEnd(),
  );
}

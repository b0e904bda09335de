/** What holds after every step. Each check names what the model knows and what the runtime did. */

import type { FetchedRecord, TopicPartition } from '#streams/client/port.ts';
import { type Position, parsePosition, positionsTopic } from '#streams/runtime/positions.ts';
import type { Cluster, Partition } from '../broker/cluster.ts';
import type { NewRecord, PartitionLog, ProducerEpoch } from '../broker/partition-log.ts';
import { APPLICATION, outputOf, TOPICS } from './counting.ts';

/** What one input partition has come to: what an undisturbed pass over the input would have. */
type Progress = {
  readonly partition: number;
  next: number;
  readonly counts: Map<string, number>;
  /** Every committed output so far. */
  readonly lines: string[];
  /** Refusals that a fault is a reason for. */
  readonly excuses: Set<string>;
  /** A marker of its logs was dropped, and a refusal that this is a reason for. */
  lostMarker: boolean;
  isRefused: boolean;
  /** Committed outputs went with a transaction that the same producer began after the lost marker: it must be refused. */
  lacksOutputs: boolean;
  /** The input before each loss since the last commit, oldest first: what was fetched then may still be committed. */
  former: Former[];
  /** It has passed offsets that the input lost: only what it had fetched before may be committed. */
  isAhead: boolean;
  /** What the last look at its logs found. */
  looked: {
    readonly logs: readonly PartitionLog[];
    readonly changes: number;
    readonly found: string | null;
  } | null;
};

type Former = {
  /** The committed ones behind the position. */
  readonly records: readonly FetchedRecord[];
  /** The end that was left; null where it was the beginning that went: then what was written since follows. */
  readonly cutAt: number | null;
};

/** Of one producer id: each log has its own marker, which may come late or, with KAFKA-20734, never. */
type Pending = {
  /** Outputs that readers see, of a position that is not committed so far. */
  visible: string[];
  /** Outputs of the open transaction in the output's log, and how many of them a committed position has counted. */
  open: string[];
  counted: number;
  /** Who wrote those outputs. */
  epoch: number;
  /** The abort of a later transaction was dropped in the output's log, behind a commit that was. */
  lostAbort: boolean;
  /** The epoch that was opened last, and how many processes had ended by then. */
  opened: { readonly epoch: number; readonly ended: number };
  /** The newest position of the open transaction in the log of positions. */
  position: Buffer | null;
};

const POSITIONS = positionsTopic(APPLICATION);
/** The logs that a task alone writes to. */
const OWN: readonly string[] = [POSITIONS, TOPICS.counts, TOPICS.output];
/** What its progress is in: a position is counted with the marker in its log. */
const LOOKED_AT: readonly string[] = [TOPICS.input, ...OWN];
/** Refusals of what cannot be repaired where a marker was dropped (KAFKA-20734) and a second fault followed (docs/decisions/0113). */
const BY_LOST_MARKERS = [
  'HANGING_TRANSACTION',
  'POSITION_MISSING',
  'POSITION_TRUNCATED',
  'CHANGELOG_TRUNCATED',
  'OUTPUT_TRUNCATED',
];

/** Follows the logs of a cluster, and compares every committed transaction with what the input says. */
export class Checks {
  readonly #cluster: Cluster;
  readonly #progress: Progress[];
  /** What each producer id has written and no commit of a position has counted. */
  readonly #pending = new Map<string, Pending>();
  #ended = 0;
  /** The first broken invariant; null while all hold. */
  violation: string | null = null;

  constructor(cluster: Cluster, partitions: number) {
    this.#cluster = cluster;
    this.#progress = Array.from({ length: partitions }, (_, partition) => ({
      partition,
      next: 0,
      isAhead: false,
      lines: [],
      former: [],
      counts: new Map<string, number>(),
      excuses: new Set<string>(),
      lostMarker: false,
      isRefused: false,
      lacksOutputs: false,
      looked: null,
    }));
    cluster.listener = {
      onAppend: (partition, producer, records) => this.#onAppend(partition, producer, records),
      onMarker: (partition, producer, marker) => this.#onMarker(partition, producer, marker),
      onDroppedMarker: ({ topic, partition }, { id }, marker) => {
        if (OWN.includes(topic)) this.#of(partition).lostMarker = true;
        if (topic === TOPICS.output && marker === 'abort') this.#pendingOf(id).lostAbort = true;
      },
      onOpened: ({ id, epoch }) => {
        this.#pendingOf(id).opened = { epoch, ended: this.#ended };
      },
    };
  }

  /** A process was killed or has stopped. */
  onEnd(): void {
    this.#ended += 1;
  }

  fail(violation: string): void {
    if (this.violation !== null) return;
    this.violation = violation;
    this.#cluster.world.note('CHECK', violation);
  }

  /** Whether a fault allows it to stay where it is. */
  isExcused(partition: number): boolean {
    const { excuses, isRefused } = this.#of(partition);
    return excuses.size > 0 || isRefused;
  }

  positionOf(partition: number): number {
    return this.#of(partition).next;
  }

  /** A fault is a reason for these refusals from now on. */
  excuse(partition: number, ...codes: readonly string[]): void {
    for (const code of codes) this.#of(partition).excuses.add(code);
  }

  /** A runtime refused a partition. */
  onRefusal(partition: number, code: string): void {
    const progress = this.#of(partition);
    if (progress.excuses.has(code)) return;
    if (progress.lostMarker && BY_LOST_MARKERS.includes(code)) progress.isRefused = true;
    else this.fail(`partition ${partition} is refused with ${code}, and no fault is a reason for it`);
  }

  /** To call before the input loses its end from an offset on, or its beginning. */
  beforeInputLoss(partition: number, cutAt: number | null): void {
    const progress = this.#of(partition);
    const { log } = this.#cluster.partition({ topic: TOPICS.input, partition });
    progress.former.push({ records: readFrom(log, progress.next), cutAt });
    if (cutAt !== null && progress.next > cutAt) progress.isAhead = true;
  }

  /** What keeps the partition from being done: null where all its input is processed and its topics say so. */
  unfinished(partition: number): string | null {
    const progress = this.#of(partition);
    const logs = LOOKED_AT.map((topic) => this.#cluster.partition({ topic, partition }).log);
    // Most looks find what the one before found.
    const changes = logs.reduce((sum, log) => sum + log.changes, 0);
    const { looked } = progress;
    if (looked !== null && looked.changes === changes && logs.every((log, at) => log === looked.logs[at]))
      return looked.found;
    const found = this.#look(progress);
    progress.looked = { logs, changes, found };
    return found;
  }

  #look({ partition, next, lines, counts }: Progress): string | null {
    const { log } = this.#cluster.partition({ topic: TOPICS.input, partition });
    if (readFrom(log, next).length > 0) return `partition ${partition} stays at ${next}, of ${log.end}`;
    const written = this.#committed({ topic: TOPICS.output, partition });
    if (!equal(written, lines))
      return `partition ${partition}: readers see ${written.length} outputs of ${lines.length}`;
    const state = new Map<string, number>();
    const { log: changelog } = this.#cluster.partition({ topic: TOPICS.counts, partition });
    for (const { key, value } of changelog.read(changelog.start, Number.POSITIVE_INFINITY).records)
      state.set(String(key), Number(value));
    for (const [key, count] of counts)
      if (state.get(key) !== count)
        return `partition ${partition}: its changelog has ${key} ${state.get(key)}, not ${count}`;
    return null;
  }

  #of(partition: number): Progress {
    return this.#progress[partition] as Progress;
  }

  #committed(of: TopicPartition): string[] {
    const { log } = this.#cluster.partition(of);
    return log.read(log.start, Number.POSITIVE_INFINITY).records.map(({ value }) => String(value));
  }

  #onAppend({ topic }: Partition, { id, epoch }: ProducerEpoch, records: readonly NewRecord[]): void {
    if (topic !== POSITIONS && topic !== TOPICS.output) return;
    const pending = this.#pendingOf(id);
    if (topic === POSITIONS) pending.position = records.at(-1)?.value ?? null;
    else {
      for (const { value } of records) pending.open.push(String(value));
      pending.epoch = epoch;
    }
  }

  #onMarker({ topic, partition }: Partition, producer: ProducerEpoch, marker: 'commit' | 'abort'): void {
    if (topic === TOPICS.output) this.#onOutputMarker(partition, producer, marker);
    if (topic !== POSITIONS) return;
    const pending = this.#pendingOf(producer.id);
    const { position } = pending;
    pending.position = null;
    if (marker === 'abort' || position === null) return;
    const outputs = [...pending.visible, ...pending.open.slice(pending.counted)];
    pending.visible = [];
    pending.counted = pending.open.length;
    const parsed = parsePosition(POSITIONS, partition, position);
    this.#onCommit(this.#of(partition), parsed, producer, outputs);
  }

  #onOutputMarker(partition: number, { id, epoch }: ProducerEpoch, marker: 'commit' | 'abort'): void {
    const pending = this.#pendingOf(id);
    const progress = this.#of(partition);
    const { open, counted, opened } = pending;
    if (marker === 'commit') pending.visible.push(...open.slice(counted));
    else if (counted > 0) {
      // A claim that aborts them, by its own epoch, has decided wrongly, unless it ended before it could decide: what it had
      // begun to commit is aborted by the next one. The abort of a transaction behind them is one of both.
      const isLeft = opened.epoch === epoch && opened.ended < this.#ended;
      const isExpected = epoch === pending.epoch || isLeft || pending.lostAbort;
      if (progress.lostMarker && isExpected) progress.lacksOutputs = true;
      else
        this.fail(
          `partition ${partition}, producer ${id} epoch ${epoch}: the outputs of a committed position are aborted`,
        );
    }
    pending.open = [];
    pending.counted = 0;
    pending.lostAbort = false;
  }

  #pendingOf(id: string): Pending {
    const pending = this.#pending.get(id) ?? {
      visible: [],
      open: [],
      counted: 0,
      epoch: -1,
      lostAbort: false,
      opened: { epoch: -1, ended: 0 },
      position: null,
    };
    this.#pending.set(id, pending);
    return pending;
  }

  #onCommit(
    progress: Progress,
    position: Position,
    producer: ProducerEpoch,
    outputs: readonly string[],
  ): void {
    const { partition, former } = progress;
    const name = `partition ${partition}, producer ${producer.id} epoch ${producer.epoch}`;
    const { id, epoch } = position.producer;
    if (progress.lacksOutputs) this.fail(`${name} goes on without outputs of a committed position`);
    // A claim decides what its predecessor left, by its own epoch.
    if (id !== producer.id || epoch > producer.epoch)
      this.fail(`${name} commits a position of producer ${id} epoch ${epoch}`);
    if (position.next < progress.next)
      this.fail(`${name} goes back from position ${progress.next} to ${position.next}`);
    const { log } = this.#cluster.partition({ topic: TOPICS.input, partition });
    const current = readFrom(log, progress.next);
    const inputs: Former[] = former.map(({ records, cutAt }) => ({
      records: cutAt === null ? merged(records, current) : records,
      cutAt,
    }));
    if (!progress.isAhead) inputs.push({ records: current, cutAt: null });
    const possible = inputs
      .map((input) => ({ cutAt: input.cutAt, ...pass(input.records, progress, position.next) }))
      .filter(({ lines }) => equal(lines, outputs));
    const right = possible.at(-1);
    if (right === undefined) {
      const { lines } = pass(current, progress, position.next);
      this.fail(
        `${name} commits position ${progress.next} to ${position.next} with ${outputs.join(' ') || 'nothing'}; ` +
          `the input says ${progress.isAhead ? 'that it lost what came before' : lines.join(' ') || 'nothing'}`,
      );
      return;
    }
    progress.next = position.next;
    for (const [key, count] of right.counts) progress.counts.set(key, count);
    progress.lines.push(...outputs);
    // What lies behind the cut may be a marker alone.
    const isBehindCut = ({ cutAt }: { cutAt: number | null }): boolean =>
      cutAt !== null && position.next > cutAt;
    if (possible.some(isBehindCut)) this.excuse(partition, 'INPUT_TRUNCATED', 'POSITION_BEYOND_END');
    if (isBehindCut(right)) progress.isAhead = true;
  }
}

/** What a pass over committed input from one position to the next writes. */
function pass(
  records: readonly FetchedRecord[],
  { next: from, counts: before }: Progress,
  to: number,
): { readonly lines: string[]; readonly counts: Map<string, number> } {
  const counts = new Map<string, number>();
  const lines: string[] = [];
  for (const { offset, key, value } of records) {
    if (offset < from || offset >= to) continue;
    const name = String(key);
    const count = (counts.get(name) ?? before.get(name) ?? 0) + 1;
    counts.set(name, count);
    lines.push(outputOf(String(value), count));
  }
  return { lines, counts };
}

/** The committed records of a log from an offset on. */
function readFrom(log: PartitionLog, from: number): readonly FetchedRecord[] {
  return log.read(Math.max(from, log.start), Number.POSITIVE_INFINITY).records;
}

/** What was removed, and what follows it. */
function merged(
  removed: readonly FetchedRecord[],
  current: readonly FetchedRecord[],
): readonly FetchedRecord[] {
  const last = removed.at(-1)?.offset ?? -1;
  return [...removed, ...current.filter(({ offset }) => offset > last)];
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}

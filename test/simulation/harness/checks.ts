/** Checks the invariants after every step. A violation names the expected and the actual behaviour. */

import type { FetchedRecord, TopicPartition } from '#streams/client/port.ts';
import { type Position, parsePosition, positionsTopic } from '#streams/runtime/positions.ts';
import type { Cluster, Partition } from '../broker/cluster.ts';
import type { NewRecord, PartitionLog, ProducerEpoch } from '../broker/partition-log.ts';
import { APPLICATION, outputOf, TOPICS } from './counting.ts';

/** The expected progress of one input partition: the result of an undisturbed pass over the input. */
type Progress = {
  readonly partition: number;
  next: number;
  readonly counts: Map<string, number>;
  /** All committed outputs so far. */
  readonly lines: string[];
  /** Codes of refusals that a fault justifies. */
  readonly excuses: Set<string>;
  /** Whether a marker of the partition's logs was dropped. */
  lostMarker: boolean;
  /** Whether the partition was refused for the dropped marker. */
  isRefused: boolean;
  /** Whether committed outputs were aborted with a later transaction after a dropped marker; then it must be refused. */
  lacksOutputs: boolean;
  /** The input before each loss since the last commit, oldest first: records fetched before a loss may still be committed. */
  former: FormerInput[];
  /** Whether the position is beyond offsets that the input lost; then only records fetched before may be committed. */
  isAhead: boolean;
  /** The result of the last check of the partition's logs; null before the first. */
  lastCheck: {
    readonly logs: readonly PartitionLog[];
    readonly changes: number;
    readonly found: string | null;
  } | null;
};

type FormerInput = {
  /** The committed records after the position. */
  readonly records: readonly FetchedRecord[];
  /** The remaining end of the log; null when the log lost its beginning, so that later records follow. */
  readonly cutAt: number | null;
};

/** Uncommitted writes of one producer id. Each log gets its own marker, which may come late or, with KAFKA-20734, never. */
type PendingWrites = {
  /** Outputs that readers see although their position is not committed yet. */
  visible: string[];
  /** Outputs of the open transaction in the output's log. */
  open: string[];
  /** Number of open outputs that belong to a committed position. */
  counted: number;
  /** Epoch that wrote the open outputs. */
  epoch: number;
  /** Whether the abort of a later transaction was dropped in the output's log, after a dropped commit. */
  lostAbort: boolean;
  /** The last opened epoch, and the number of processes that had ended by then. */
  opened: { readonly epoch: number; readonly ended: number };
  /** The newest position of the open transaction in the positions log; null without one. */
  position: Buffer | null;
};

const POSITIONS = positionsTopic(APPLICATION);
/** The logs that only a task writes to. */
const OWN: readonly string[] = [POSITIONS, TOPICS.counts, TOPICS.output];
/** The logs that show a task's progress; a position counts when its marker is in the log. */
const CHECKED: readonly string[] = [TOPICS.input, ...OWN];
/** Refusals that a dropped marker (KAFKA-20734) with a second fault justifies, as it cannot be repaired (docs/decisions/0113). */
const BY_LOST_MARKERS = [
  'HANGING_TRANSACTION',
  'POSITION_MISSING',
  'POSITION_TRUNCATED',
  'CHANGELOG_TRUNCATED',
  'OUTPUT_TRUNCATED',
];

/** Follows the logs of a cluster, and compares every committed transaction with the input. */
export class Checks {
  readonly #cluster: Cluster;
  readonly #progress: Progress[];
  /** Writes of each producer id that no committed position has counted. */
  readonly #pending = new Map<string, PendingWrites>();
  /** Number of processes that were killed or have stopped. */
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
      lastCheck: null,
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

  /** Called when a process was killed or has stopped. */
  onEnd(): void {
    this.#ended += 1;
  }

  /** Records a violation; only the first one counts. */
  fail(violation: string): void {
    if (this.violation !== null) return;
    this.violation = violation;
    this.#cluster.world.note('CHECK', violation);
  }

  /** Whether a fault allows the partition to stay unprocessed. */
  isExcused(partition: number): boolean {
    const { excuses, isRefused } = this.#of(partition);
    return excuses.size > 0 || isRefused;
  }

  /** Returns the committed position of a partition. */
  positionOf(partition: number): number {
    return this.#of(partition).next;
  }

  /** Allows these refusals from now on, as a fault justifies them. */
  excuse(partition: number, ...codes: readonly string[]): void {
    for (const code of codes) this.#of(partition).excuses.add(code);
  }

  /** Checks that a fault justifies the refusal of a partition. */
  onRefusal(partition: number, code: string): void {
    const progress = this.#of(partition);
    if (progress.excuses.has(code)) return;
    if (progress.lostMarker && BY_LOST_MARKERS.includes(code)) progress.isRefused = true;
    else this.fail(`partition ${partition} is refused with ${code}, and no fault justifies it`);
  }

  /** Must be called before the input loses its records from `cutAt` on, or its beginning for null. */
  beforeInputLoss(partition: number, cutAt: number | null): void {
    const progress = this.#of(partition);
    const { log } = this.#cluster.partition({ topic: TOPICS.input, partition });
    progress.former.push({ records: readFrom(log, progress.next), cutAt });
    if (cutAt !== null && progress.next > cutAt) progress.isAhead = true;
  }

  /** Returns why the partition is not finished; null when all its input is processed and its topics show it. */
  unfinished(partition: number): string | null {
    const progress = this.#of(partition);
    const logs = CHECKED.map((topic) => this.#cluster.partition({ topic, partition }).log);
    // Reuses the last result while the logs have not changed.
    const changes = logs.reduce((sum, log) => sum + log.changes, 0);
    const { lastCheck } = progress;
    const isSame = lastCheck?.changes === changes && logs.every((log, at) => log === lastCheck.logs[at]);
    if (isSame) return lastCheck.found;
    const found = this.#check(progress);
    progress.lastCheck = { logs, changes, found };
    return found;
  }

  #check({ partition, next, lines, counts }: Progress): string | null {
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
      // A claim that aborts them with its own epoch has decided wrongly, unless a claim ended before it could decide: the next
      // claim aborts the transaction that it began to commit. The abort of a later transaction aborts both; when that one expires,
      // its coordinator aborts it with an epoch that no claim has.
      const isLeft = opened.epoch === epoch && opened.ended < this.#ended;
      const isExpired = epoch > opened.epoch;
      const isExpected = epoch === pending.epoch || isLeft || isExpired || pending.lostAbort;
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

  #pendingOf(id: string): PendingWrites {
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
    if (progress.lacksOutputs) this.fail(`${name} continues without outputs of a committed position`);
    // A claim decides transactions of its predecessor with its own epoch.
    if (id !== producer.id || epoch > producer.epoch)
      this.fail(`${name} commits a position of producer ${id} epoch ${epoch}`);
    if (position.next < progress.next)
      this.fail(`${name} goes back from position ${progress.next} to ${position.next}`);
    const { log } = this.#cluster.partition({ topic: TOPICS.input, partition });
    const current = readFrom(log, progress.next);
    const inputs: FormerInput[] = former.map(({ records, cutAt }) => ({
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
          `the input requires ${progress.isAhead ? 'a refusal, as it lost earlier records' : lines.join(' ') || 'nothing'}`,
      );
      return;
    }
    progress.next = position.next;
    for (const [key, count] of right.counts) progress.counts.set(key, count);
    progress.lines.push(...outputs);
    // The input after the cut may have only a marker, so that the input before and after the loss both fit.
    const isBehindCut = ({ cutAt }: { cutAt: number | null }): boolean =>
      cutAt !== null && position.next > cutAt;
    if (possible.some(isBehindCut)) this.excuse(partition, 'INPUT_TRUNCATED', 'POSITION_BEYOND_END');
    if (isBehindCut(right)) progress.isAhead = true;
  }
}

/** Returns the outputs and counts of a pass over committed input from one position to the next. */
function pass(
  records: readonly FetchedRecord[],
  { next: from, counts: before }: { readonly next: number; readonly counts: ReadonlyMap<string, number> },
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

/** Returns the committed records of a log from an offset on. */
function readFrom(log: PartitionLog, from: number): readonly FetchedRecord[] {
  return log.read(Math.max(from, log.start), Number.POSITIVE_INFINITY).records;
}

/** Returns removed records and the current records after them. */
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

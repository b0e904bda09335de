import type { SourceChange } from './substitutes.ts';

/** A defect that the code had, with the changes that restore it. */
type Defect = { readonly name: string; readonly changes: readonly SourceChange[] };

const CHECKS = '/libs/streams/runtime/start-checks.ts';
const RESTORE = '/libs/streams/runtime/restore.ts';
const INCARNATION = '/libs/streams/runtime/incarnation.ts';
const LOGS = '/libs/streams/runtime/task-logs.ts';
const KEPT = '/libs/streams/runtime/kept-state.ts';
const ASSIGNMENT = '/libs/streams/client/platformatic/group/assignment.ts';
const PRODUCER = '/libs/streams/client/platformatic/transactional-producer.ts';
const ERRORS = '/libs/streams/client/platformatic/errors.ts';
const GROUP_MEMBER = '/libs/streams/client/platformatic/group/group-member.ts';
const RETRIES = '/libs/streams/runtime/retry-schedule.ts';
const UNDECIDED = '/libs/streams/client/platformatic/kafka-20734/undecided-transactions.ts';

const change = (file: string, find: string, replace = ''): SourceChange => ({ file, find, replace });

const LAST_RECORD = change(
  RESTORE,
  'for (const one of restored) requireLastRecord(application, partition, found, one);',
  'void 0;',
);

const LATE_HEARTBEAT = change(
  GROUP_MEMBER,
  'const sentAt = performance.now();\n    this.#heartbeatAt = sentAt;\n    await this.#confirmMembership();',
  'this.#heartbeatAt = performance.now();\n    await this.#confirmMembership();\n    const sentAt = performance.now();',
);

/** The simulation finds each of these again: `npm run test:simulation -- --defects`. */
export const DEFECTS: readonly Defect[] = [
  {
    name: 'a changelog that ends too early is restored (0113)',
    changes: [
      change(CHECKS, 'requireChangelogs(context, partition, position, changelogs);'),
      LAST_RECORD,
      change(LOGS, 'if (baseOffset < end && !this.#of.outputs.includes(topic))', 'if (false)'),
    ],
  },
  {
    name: 'a changelog that lost its beginning is restored, and counts go back (0113)',
    changes: [change(CHECKS, 'mark.start !== null && mark.id === id && start > mark.start', 'false')],
  },
  { name: 'aborted records make up for the lost end of a changelog (0113)', changes: [LAST_RECORD] },
  {
    name: 'an input that lost its end and grew again is read further (0113)',
    changes: [
      change(CHECKS, 'requireSameInput(context, partition, { next, inputEpoch }, found);'),
      change(INCARNATION, 'input.read(committer.position, readEpoch)', 'input.read(committer.position)'),
    ],
  },
  {
    name: 'a shared partition without a leader fails every claim (0117)',
    changes: [
      change(
        UNDECIDED,
        'const open = await openTransactions(this.#connections, own);',
        'const open = await openTransactions(this.#connections, [...own, ...shared]);',
      ),
    ],
  },
  {
    name: 'the state in memory is kept without a proof (0050)',
    changes: [
      change(
        KEPT,
        'if (!isCommitted && !isOf(position, kept.committed.producer, kept.committed.next)) return null;',
      ),
      change(KEPT, 'return first === start && read === count ? last : null;', 'return last;'),
    ],
  },
  {
    name: 'a task continues at a position that lost a commit (0113)',
    changes: [
      change(
        CHECKS,
        'await Promise.all([...changelogs, ...outputs].map((log) => requireSameCommit(context, position, log)));',
      ),
    ],
  },
  {
    name: 'a late answer of the group counts as of now (0114)',
    changes: [
      LATE_HEARTBEAT,
      change(
        GROUP_MEMBER,
        'const sentAt = performance.now();\n    const assignment = await this.#sync(shares);',
        'const assignment = await this.#sync(shares);\n    const sentAt = performance.now();',
      ),
    ],
  },
  {
    name: 'a late answer to a heartbeat counts as of now (0114)',
    changes: [LATE_HEARTBEAT],
  },
  {
    name: 'a returning member keeps partitions that others own now (0114)',
    changes: [change(ASSIGNMENT, 'other.generation - one.generation || ')],
  },
  {
    name: 'a process that starts again is a new member (0114)',
    changes: [
      change(GROUP_MEMBER, 'this.#instanceId = options.instanceId ?? null;', 'this.#instanceId = null;'),
    ],
  },
  {
    name: 'records are sent before their transaction has begun',
    changes: [
      change(
        PRODUCER,
        'await this.#begin(batches.flat());\n      accept(await this.#sender.send(batches));',
        'const [, written] = await Promise.all([this.#begin(batches.flat()), this.#sender.send(batches)]);\n      accept(written);',
      ),
      // A leader verifies a transaction for a while.
      change(ERRORS, "INVALID_TXN_STATE: 'FENCED',"),
      change(ERRORS, 'const BUSY = [', "const BUSY = ['INVALID_TXN_STATE',"),
    ],
  },
  {
    name: 'the position is read before the former owner is fenced',
    changes: [
      change(
        INCARNATION,
        'const producer = lifetime.hold(',
        'const early = await findPosition(client, positions, partition);\n  const producer = lifetime.hold(',
      ),
      change(
        INCARNATION,
        '{ input: topicId, changelogs: ids }',
        '{ input: topicId, changelogs: ids, early } as never',
      ),
      change(
        CHECKS,
        'const position = await findPosition(client, positions, partition, logOf(positions));',
        'const position = (ids as never as { early: Position | null }).early;',
      ),
    ],
  },
  {
    name: 'a fenced task claims again without a confirmation of the group (0114)',
    changes: [
      change(
        RETRIES,
        "this.isConfirmed(now) && (code !== 'FENCED' || this.#confirmedAt > at)",
        'this.isConfirmed(now)',
      ),
    ],
  },
  {
    name: 'heartbeats follow the wall clock (0114)',
    changes: [
      change(
        GROUP_MEMBER,
        'this.#heartbeatAt + this.#heartbeatMs() - performance.now()',
        'this.#heartbeatAt + this.#heartbeatMs() - Date.now()',
      ),
      change(
        GROUP_MEMBER,
        'this.#heartbeatAt = sentAt;\n    await',
        'this.#heartbeatAt = Date.now();\n    await',
      ),
      change(GROUP_MEMBER, 'this.#heartbeatAt = sentAt;\n    if', 'this.#heartbeatAt = Date.now();\n    if'),
    ],
  },
  {
    name: 'an assignment that is read late is claimed at once (0114)',
    changes: [change(GROUP_MEMBER, 'if (rest <= 0) {', 'if (false) {')],
  },
];

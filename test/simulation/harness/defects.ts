import type { SourceChange } from './substitutes.ts';

/** A defect that the code had, as a change that brings it back. */
export type Defect = { readonly name: string; readonly changes: readonly SourceChange[] };

const CLAIM = '/libs/streams/runtime/claim.ts';
const RESTORE = '/libs/streams/runtime/restore.ts';
const INCARNATION = '/libs/streams/runtime/incarnation.ts';
const ENDS = '/libs/streams/runtime/changelog-ends.ts';
const KEPT = '/libs/streams/runtime/kept-state.ts';
const UNDECIDED = '/libs/kafka-20734/undecided-transactions.ts';

const remove = (file: string, find: string, replace = ''): SourceChange => ({ file, find, replace });

const LAST_RECORD = remove(
  RESTORE,
  'for (const one of restored) requireLastRecord(application, partition, found, one);',
  'void 0;',
);

/** The simulation finds each of these again: `npm run test:simulation -- --defects`. */
export const DEFECTS: readonly Defect[] = [
  {
    name: 'a changelog that ends too early is restored (0113)',
    changes: [
      remove(CLAIM, 'requireWholeChangelogs(application, partition, position, ends);'),
      LAST_RECORD,
      remove(ENDS, 'if (baseOffset < end && !isOutput)', 'if (false)'),
    ],
  },
  { name: 'aborted records make up for the lost end of a changelog (0113)', changes: [LAST_RECORD] },
  {
    name: 'an input that was cut and has grown again is read on (0113)',
    changes: [
      remove(CLAIM, 'requireSameInput(context, partition, position, found);'),
      remove(INCARNATION, 'input.read(committer.position, readEpoch)', 'input.read(committer.position)'),
    ],
  },
  {
    name: 'a shared partition without a leader fails every claim (0117)',
    changes: [
      remove(
        UNDECIDED,
        'const open = await openTransactions(this.#connections, own);',
        'const open = await openTransactions(this.#connections, [...own, ...shared]);',
      ),
    ],
  },
  {
    name: 'the state in memory is kept without a proof (0118)',
    changes: [
      remove(
        KEPT,
        'if (!isCommitted && !isOf(position, kept.committed.producer, kept.committed.next)) return null;',
      ),
      remove(KEPT, 'return first === start && read === count ? last : null;', 'return last;'),
    ],
  },
  {
    name: 'a position that lost a commit is gone on from (0150)',
    changes: [
      remove(CLAIM, 'await lifetime.still(requireSameCommit(context, position, [...own, ...written]));'),
    ],
  },
];

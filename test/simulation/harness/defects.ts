import type { SourceChange } from './substitutes.ts';

/** A defect that the code had, as a change that brings it back. */
export type Defect = { readonly name: string; readonly changes: readonly SourceChange[] };

const CLAIM = '/libs/streams/runtime/claim.ts';
const RESTORE = '/libs/streams/runtime/restore.ts';
const INCARNATION = '/libs/streams/runtime/incarnation.ts';
const ENDS = '/libs/streams/runtime/changelog-ends.ts';

/** The simulation finds each of these again within a thousand seeds. */
export const DEFECTS: readonly Defect[] = [
  {
    name: 'a changelog that ends too early is restored (0113)',
    changes: [
      {
        file: CLAIM,
        find: 'requireWholeChangelogs(application, partition, position, ends);',
        replace: '',
      },
      {
        file: RESTORE,
        find: 'for (const one of restored) requireLastRecord(application, partition, found, one);',
        replace: 'void 0;',
      },
      { file: ENDS, find: 'if (baseOffset < end && !isOutput)', replace: 'if (false)' },
    ],
  },
  {
    name: 'aborted records make up for the lost end of a changelog (0113)',
    changes: [
      {
        file: RESTORE,
        find: 'for (const one of restored) requireLastRecord(application, partition, found, one);',
        replace: 'void 0;',
      },
    ],
  },
  {
    name: 'an input that was cut and has grown again is read on (0113)',
    changes: [
      {
        file: CLAIM,
        find: 'requireSameInput(context, partition, position, found);',
        replace: '',
      },
      {
        file: INCARNATION,
        find: 'input.read(committer.position, readEpoch)',
        replace: 'input.read(committer.position)',
      },
    ],
  },
  {
    name: 'what a dead owner left undecided is not decided at the claim (0050)',
    changes: [
      {
        file: '/libs/kafka-20734/undecided-transactions.ts',
        find: 'await this.#decide(ofEpoch, decision);',
        replace: '',
      },
    ],
  },
];

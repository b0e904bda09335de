import type { SourceChange } from './substitutes.ts';

/** A defect that the code had, as a change that brings it back. */
export type Defect = { readonly name: string; readonly changes: readonly SourceChange[] };

const INCARNATION = '/libs/streams/runtime/incarnation.ts';
const COMMITTER = '/libs/streams/runtime/batch-committer.ts';

/** The simulation finds each of these again within a thousand seeds. */
export const DEFECTS: readonly Defect[] = [
  {
    name: 'a changelog that ends too early is restored (0113)',
    changes: [
      {
        file: INCARNATION,
        find: 'requireWholeChangelogs(application, partition, position, ends);',
        replace: '',
      },
      {
        file: INCARNATION,
        find: 'for (const one of restored) requireLastRecord(application, this.#partition, found, one);',
        replace: 'void 0;',
      },
      { file: COMMITTER, find: 'if (baseOffset < known) {', replace: 'if (false) {' },
    ],
  },
  {
    name: 'aborted records make up for the lost end of a changelog (0113)',
    changes: [
      {
        file: INCARNATION,
        find: 'for (const one of restored) requireLastRecord(application, this.#partition, found, one);',
        replace: 'void 0;',
      },
    ],
  },
  {
    name: 'an input that was cut and has grown again is read on (0113)',
    changes: [
      {
        file: INCARNATION,
        find: 'requireSameInput(this.#context, partition, position, found);',
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

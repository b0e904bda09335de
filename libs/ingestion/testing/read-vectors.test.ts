import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { readVectors } from './vectors.ts';

const EXPECT = {
  score: null,
  firm: null,
  source: 'none',
  coverage: 'none',
  reported: null,
  agreement: 'unknown',
  under_review: false,
  counting_goals: [],
  void_goals: {},
  orphans: [],
  removed: [],
  status_id: null,
  bet_status: null,
};
const event = (id: number) => ({ id, type: 'event', ut: 1, data: { event: { id: 7 } } });

describe('readVectors', () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder();
  });

  function write(name: string, messages: readonly unknown[]): void {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ event_id: 7, messages, expect: EXPECT }));
  }

  test.each([
    ['of an unknown type', { id: 2, type: 'odds', ut: 1, data: {} }],
    ['that cannot be normalized', { id: 2, type: 'event', ut: 1, data: {} }],
  ])('leaves out a message %s, as the services do', (_, message) => {
    write('first', [event(1), message, event(3)]);
    write('second', [event(4)]);
    const vectors = readVectors(folder).map(({ name, messages }) => [
      name,
      messages.map(({ message_id }) => message_id),
    ]);
    expect(vectors).toEqual([
      ['first', ['1', '3']],
      ['second', ['4']],
    ]);
  });
});

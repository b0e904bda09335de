import { describe, expect, test } from 'vitest';
import { expectedOf, historyNames, replayHistory } from './testing/histories.ts';

describe('a recorded history, replayed', () => {
  test.each(historyNames())('%s gives the bytes on file', async (name) => {
    const { digest, lines } = expectedOf(name);
    const now = await replayHistory(name);
    // The records first: their difference can be read. Changed on purpose: npm run histories, in the same commit.
    expect(now.lines).toEqual(lines);
    expect(now.digest).toBe(digest);
  });
});

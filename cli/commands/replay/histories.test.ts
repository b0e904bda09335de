import { describe, expect, test } from 'vitest';
import { expectedOf, historyNames, replayHistory } from './testing/histories.ts';

describe('a recorded history, replayed', () => {
  test.each(historyNames())('%s returns the recorded bytes', async (name) => {
    const { digest, lines } = expectedOf(name);
    const now = await replayHistory(name);
    // Compares the records first: their difference is readable. After an intended change: npm run histories, in the same commit.
    expect(now.lines).toEqual(lines);
    expect(now.digest).toBe(digest);
  });
});

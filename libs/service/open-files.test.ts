import { expect, test, vi } from 'vitest';
import { watchOpenFiles } from './open-files.ts';

test('says once that no file can be opened, and once that files can be opened again', () => {
  vi.useFakeTimers();
  try {
    const checks = [true, false, false, true, false, true, true, true, false];
    const said: string[] = [];
    const note = (word: string) => () => void said.push(`${word} ${checks.length}`);
    const log = { error: note('gone'), info: note('back') };
    watchOpenFiles(log, () => checks.shift() ?? true);
    vi.advanceTimersByTime(27_000);
    expect(said).toEqual(['gone 7', 'back 2', 'gone 0']);
  } finally {
    vi.useRealTimers();
  }
});

import { expect, test } from 'vitest';
import { endProgress, showProgress } from './progress.ts';

function stream(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 12, write: (text: string) => written.push(text) };
}

test('rewrites one line on a terminal, cut to its width', () => {
  const terminal = stream(true);
  const onProgress = showProgress(terminal);
  onProgress('downloading: 1 file');
  onProgress('starting');
  endProgress(terminal);
  expect(terminal.written).toEqual(['\r\u001b[2Kdownloading', '\r\u001b[2Kstarting', '\r\u001b[2K']);
});

test('writes a line for each step elsewhere, and one every ten seconds of a long step', () => {
  const log = stream(false);
  let now = 0;
  const onProgress = showProgress(log, () => now);
  for (const seconds of [0, 1, 9, 11, 12]) {
    now = seconds * 1000;
    onProgress(`downloading: ${seconds} s`);
  }
  onProgress('starting');
  endProgress(log);
  expect(log.written).toEqual(['downloading: 0 s\n', 'downloading: 11 s\n', 'starting\n']);
});

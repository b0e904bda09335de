import { expect, test } from 'vitest';
import { recordedArguments } from './orders.ts';

test.each([
  ['--url https://user:pass@a.example/hook?key=1 --secret-file -', '--url a.example --secret-file -'],
  ['--url=https://a.example/hook', '--url=a.example'],
  ['https://a.example/hook?key=1', 'a.example'],
  ['--secret s3cret', '--secret [redacted]'],
  ['--secret=s3cret --url x', '--secret=[redacted] --url x'],
  ['--url a.example/hook?key=1 --secret-file s3cret', '--url a.example --secret-file [redacted]'],
  ['a.example/hook?key=1 "https://user:pass@b.example/?key=1" /hook?key=1', 'a.example b.example [redacted]'],
  ['revoke touchline_pat_abc', 'revoke [redacted]'],
])('records the arguments "%s" as "%s"', (line, recorded) =>
  expect(recordedArguments(['7', ...line.split(' ')])).toEqual(['7', ...recorded.split(' ')]),
);

test('records a reason with the host of an address alone', () => {
  const reason = 'abandoned, see https://a.example/news?key=1';
  expect(recordedArguments(['7', '--reason', reason])).toEqual(['7', '--reason', 'abandoned, see a.example']);
});

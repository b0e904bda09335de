import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { fileOutput } from './output.ts';

const temporaryFile = (): string => join(temporaryFolder(), 'alerts.jsonl');

const offsets = (file: string): number[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).offset);

test('continues a file after its last complete line, and removes an incomplete one', async () => {
  const file = temporaryFile();
  const first = fileOutput(file);
  expect(first.from).toBe(0);
  for (const offset of [0, 1, 5]) await first.write(sampleOf('alerts'), offset);
  first.close();
  appendFileSync(file, '{"id":"torn by a k');
  const second = fileOutput(file);
  expect(second.from).toBe(6);
  await second.write(sampleOf('alerts'), 7);
  second.close();
  expect(offsets(file)).toEqual([0, 1, 5, 7]);
  const [line = ''] = readFileSync(file, 'utf8').split('\n');
  expect(JSON.parse(line)).toEqual({ ...sampleOf('alerts'), offset: 0 });
});

test('continues a file after its last published alert, and returns the ids of early alerts', async () => {
  const file = temporaryFile();
  const first = fileOutput(file);
  await first.write({ ...sampleOf('alerts'), id: 'early' }, null);
  expect(fileOutput(file)).toMatchObject({ from: 0, early: ['early'] });
  await first.write(sampleOf('alerts'), 4);
  await first.write({ ...sampleOf('alerts'), id: 'earlier' }, null);
  first.close();
  expect(fileOutput(file)).toMatchObject({ from: 5, early: ['early', 'earlier'] });
});

test('continues a file that is larger than the part that is read', async () => {
  const file = temporaryFile();
  writeFileSync(
    file,
    `${`${JSON.stringify({ ...sampleOf('alerts'), name: 'x'.repeat(999), offset: 3 })}\n`.repeat(1_200)}{"id`,
  );
  const output = fileOutput(file);
  expect(output.from).toBe(4);
  output.close();
  expect(offsets(file).length).toBe(1_200);
});

const WHOLE = `${JSON.stringify({ ...sampleOf('alerts'), offset: 0 })}\n`;

test.each([
  ['text', 'Dear diary\n'],
  ['text without a final line break', 'Dear diary\nthe second line'],
  ['rules in one line', '{"rules":[{"name":"goals","on":["goal"]}]}'],
  ['JSON lines of something else', '{"id":7,"offset":3}\n{"id":8,"off'],
  ['one record of something else', '{"id":"7","name":"A"}'],
  ['one alert without its offset', JSON.stringify(sampleOf('alerts'))],
  ['alerts, and then something else', `${WHOLE}Dear diary`],
  ['much data without a line', Buffer.alloc(3 * 1024 * 1024, 7)],
  ['one line that is longer than the part that is read', `{"id":"${'x'.repeat(2 * 1024 * 1024)}`],
])('refuses a file with %s, and does not change it', (_, content) => {
  const file = temporaryFile();
  writeFileSync(file, content);
  expect(() => fileOutput(file)).toThrow('name another file');
  expect(readFileSync(file).equals(Buffer.from(content))).toBe(true);
});

test.each([
  ['one byte', '{'],
  ['a part of its id', '{"id":"goals/goal/1/'],
  ['an id cut inside an escape', '{"id":"\\\\\\"goals\\'],
  ['all but its line break', WHOLE.slice(0, -1)],
  ['the beginning of a second one', `${WHOLE}{"i`],
])('removes %s, which a killed process wrote of an alert', (_, content) => {
  const file = temporaryFile();
  writeFileSync(file, content);
  fileOutput(file).close();
  expect(readFileSync(file, 'utf8')).toBe(content.startsWith(WHOLE) ? WHOLE : '');
});

test.runIf(process.platform === 'linux')('names a file whose disk is full', async () => {
  await expect(fileOutput('/dev/full').write(sampleOf('alerts'), 0)).rejects.toThrow(
    /^\/dev\/full cannot be written \(ENOSPC: .*: the disk is full: free space on it\); the next start continues/,
  );
});

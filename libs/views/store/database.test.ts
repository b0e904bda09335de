import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { damage } from '../testing/world.ts';
import {
  isBroken,
  isUnwritable,
  type OpenViewsOptions,
  openViews,
  ViewsInUseError,
  ViewsLostError,
} from './database.ts';
import { Views } from './views.ts';

const DAY = 86_400_000;
const MADE = { folder: '', source: { a: '1', b: '2' }, maxAgeMs: DAY, boot: 'first', now: 1_000 * DAY };

/** Opens views with these changed options, stores an offset in them, and closes them. Returns the reason of a rebuild. */
function visit(folder: string, changes: Partial<OpenViewsOptions> = {}): string | null {
  const { database, fresh, close } = openViews({ ...MADE, folder, ...changes });
  const marks = database.prepare('SELECT count(*) AS n FROM offsets').get();
  expect(marks?.n).toBe(fresh === null ? 1 : 0);
  database.exec("INSERT OR REPLACE INTO offsets VALUES ('t-0', 7, 3)");
  close();
  return fresh;
}

/** Opens views as `visit` does; they stay as they are when their process is killed. */
function killed(folder: string, changes: Partial<OpenViewsOptions> = {}): void {
  const { database } = openViews({ ...MADE, folder, ...changes });
  database.exec("INSERT OR REPLACE INTO offsets VALUES ('t-0', 7, 3)");
  database.close();
}

test('reuses views, but not of a killed process if the machine has stopped since', () => {
  const folder = temporaryFolder();
  killed(folder);
  expect(visit(folder)).toBeNull();
  killed(folder);
  expect(visit(folder, { boot: 'second' })).toBe('the machine stopped while it was open');
  expect(visit(folder, { boot: 'third' })).toBeNull();
});

test('waits for the disk where it cannot know whether the machine has stopped', () => {
  const folder = temporaryFolder();
  killed(folder, { boot: null });
  expect(existsSync(join(folder, 'views.mark'))).toBe(false);
  expect(visit(folder)).toBeNull();
  const waits = (boot: string | null) => {
    const { database, close } = openViews({ ...MADE, folder, boot });
    const level = database.prepare('PRAGMA synchronous').get()?.synchronous;
    close();
    return level !== 0;
  };
  expect([waits(null), waits('first')]).toEqual([true, false]);
});

test.each([
  ['deleted', (file: string) => rmSync(file)],
  ['replaced', (file: string) => cpSync(`${file}.old`, `${file}.new`) ?? renameSync(`${file}.new`, file)],
  ['deleted with its folder', (file: string) => rmSync(dirname(file), { recursive: true })],
  ['overwritten in place', (file: string) => writeFileSync(file, readFileSync(`${file}.old`))],
  ['changed in one byte', (file: string) => oneByte(dirname(file))],
])('ends when the file of open views was %s, and builds new ones', (_, act) => {
  const folder = join(temporaryFolder(), 'views');
  const file = join(folder, 'views.sqlite');
  visit(folder);
  cpSync(file, `${file}.old`);
  const { database, commit, finishBuild, close } = openViews({ ...MADE, folder });
  finishBuild();
  // Its own checkpoints write the file as well.
  const before = statSync(file).size;
  for (let at = 0; at < 3; at += 1) {
    database.exec(`BEGIN; INSERT INTO meta VALUES ('${at}', hex(zeroblob(5000000)))`);
    commit();
  }
  expect(statSync(file).size).toBeGreaterThan(before);
  database.exec("BEGIN; INSERT INTO meta VALUES ('lost', '')");
  act(file);
  expect(commit).toThrow(ViewsLostError);
  close();
  expect(visit(folder)).toBe('it is empty');
});

test('reuses views of the same topics unchanged', () => {
  const folder = temporaryFolder();
  expect(visit(folder)).toBe('it is empty');
  expect(visit(folder, { now: MADE.now + DAY })).toBeNull();
});

const OTHER_SOURCE = 'it was created from other topics, or for other competitions';

test.each([
  ['a topic was created again', { source: { a: '1', b: '3' } }, OTHER_SOURCE],
  ['the topics have another prefix', { source: { c: '1' } }, OTHER_SOURCE],
  ['they were unused for too long', { now: MADE.now + DAY + 1 }, 'it was unused for too long'],
])('rebuilds views if %s', (_name, changes, why) => {
  const folder = temporaryFolder();
  visit(folder);
  expect(visit(folder, changes as Partial<OpenViewsOptions>)).toBe(why);
});

test('rebuilds views of another release', () => {
  const folder = temporaryFolder();
  const { database } = openViews({ ...MADE, folder });
  database.exec("UPDATE meta SET value = 'older' WHERE key = 'schema'");
  database.close();
  expect(visit(folder)).toBe('another release created it');
});

test.each(['', 'no database at all'])('rebuilds views if the file contains %j', (content) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'views.sqlite'), content);
  expect(visit(folder)).not.toBeNull();
});

const oneByte = (folder: string) => {
  const path = join(folder, 'views.sqlite');
  const bytes = readFileSync(path);
  const at = bytes.lastIndexOf('t-0');
  bytes.write('t-1', at);
  writeFileSync(path, bytes);
};

test.each([
  ['the whole file of a killed process', (folder: string) => damage(folder), 'killed', 'it cannot be read'],
  ['a table of a killed process', (folder: string) => damage(folder, 'health'), 'killed', 'it is damaged'],
  ['one byte of a stopped process', oneByte, 'stopped', 'it was changed since it was closed'],
])('rebuilds views if %s is damaged', (_, harm, end, why) => {
  const folder = temporaryFolder();
  const first = Views.open({ ...MADE, folder, competitions: null });
  first.views.write([{ key: 't-0', next: 7, epoch: null }], MADE.now, () => {});
  first.views.close();
  if (end === 'killed') writeFileSync(join(folder, 'views.mark'), MADE.boot);
  harm(folder);
  const second = Views.open({ ...MADE, folder, competitions: null });
  expect([first.fresh, second.fresh]).toEqual(['it is empty', why]);
  expect([...second.views.positions('next')]).toEqual([]);
  second.views.close();
});

test.each([
  ['a full disk', 0x0d, true],
  ['a file that became read-only', 0x308, true],
  ['a write that failed', 0x30a, true],
  ['an fsync that failed', 0x40a, true],
  ['a read that failed', 0x10a, false],
])('takes views for damaged by no failed write, but by a failed read: %s', (_, errcode, unwritable) => {
  const error = Object.assign(new Error(), { errcode });
  expect([isUnwritable(error), isBroken(error)]).toEqual([unwritable, !unwritable]);
});

test('refuses a folder that another process uses', () => {
  const folder = temporaryFolder();
  const { database } = openViews({ ...MADE, folder });
  expect(() => openViews({ ...MADE, folder })).toThrow(ViewsInUseError);
  database.close();
  expect(openViews({ ...MADE, folder }).fresh).toBeNull();
});

test('finds that a disk is full, which damages nothing', () => {
  const folder = temporaryFolder();
  const { database } = openViews({ ...MADE, folder });
  const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count);
  database.exec(`PRAGMA max_page_count = ${pages}`);
  const fill = () => database.exec("INSERT INTO meta VALUES ('big', hex(zeroblob(100000)))");
  expect(fill).toThrow(expect.toSatisfy((error) => isUnwritable(error) && !isBroken(error)));
  database.close();
  expect(openViews({ ...MADE, folder }).fresh).toBeNull();
});

import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { classArchive } from './class-archive.ts';
import { installProgram } from './testing/programs.ts';

describe('classArchive', () => {
  let bin: string;
  let folder: string;
  beforeEach(() => {
    bin = temporaryFolder();
    folder = join(bin, 'classes');
  });

  const archiveOf = (version: string) => classArchive(folder, 'kafka', { path: join(bin, 'java'), version });

  /** Installs a `jcmd` that runs this line of shell; $4 is the file to write. */
  const fakeJcmd = (line: string) => installProgram(bin, 'jcmd', line);

  test('writes an archive at the first start, and uses it later', async () => {
    await fakeJcmd('echo classes of "$1" > "$4"');
    const first = archiveOf('17.0.15');
    expect(first.jvmArgs).toContain('-XX:+RecordDynamicDumpInfo');
    await first.write(4711);
    expect(await readdir(folder)).toEqual(['kafka-java-17.0.15.jsa']);

    const second = archiveOf('17.0.15');
    expect(second.jvmArgs).toEqual([`-XX:SharedArchiveFile=${join(folder, 'kafka-java-17.0.15.jsa')}`]);
    await fakeJcmd('exit 1');
    await second.write(4712);
    expect(archiveOf('21.0.1').jvmArgs).toContain('-XX:+RecordDynamicDumpInfo');
  });

  test('uses no archive if its folder cannot be created', async () => {
    await fakeJcmd('echo classes of "$1" > "$4"');
    await writeFile(folder, '');
    await archiveOf('17.0.15').write(4711);
    expect(archiveOf('17.0.15').jvmArgs).toContain('-XX:+RecordDynamicDumpInfo');
  });

  test('uses no archive if Java has no jcmd, or jcmd fails', async () => {
    await archiveOf('17.0.15').write(4711);
    await fakeJcmd('echo half > "$4"; exit 1');
    await archiveOf('17.0.15').write(4711);
    expect(await readdir(folder)).toEqual([]);
  });
});

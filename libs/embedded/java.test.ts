import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { classArchive, findJava, installCommand, majorOf } from './installation.ts';
import { installProgram } from './testing/programs.ts';

test.each([
  ['17.0.15', 17],
  ['1.8.0_392', 8],
  ['21', 21],
  ['25-ea', 25],
])('reads of %s the major version %d', (version, major) => expect(majorOf(version)).toBe(major));

describe('findJava', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  /** Installs a `java` that only prints its version. */
  const fakeJava = (bin: string, version: string) =>
    installProgram(bin, 'java', `echo 'openjdk version "${version}"' >&2`);

  test('prefers the Java of JAVA_HOME to the one on the PATH, unless it is too old', async () => {
    await fakeJava(join(folder, 'home', 'bin'), '21.0.1');
    await fakeJava(join(folder, 'path'), '17.0.1');
    const env = { JAVA_HOME: join(folder, 'home'), PATH: join(folder, 'path') };
    expect(await findJava(env)).toEqual({ path: join(folder, 'home', 'bin', 'java'), version: '21.0.1' });
    expect(await findJava({ PATH: env.PATH })).toEqual({ path: 'java', version: '17.0.1' });
    await fakeJava(join(folder, 'home', 'bin'), '11.0.2');
    expect(await findJava(env)).toEqual({ path: 'java', version: '17.0.1' });
  });

  test('reports a missing or old Java', async () => {
    await expect(findJava({ PATH: folder })).rejects.toMatchObject({
      code: 'JAVA_MISSING',
      message: 'no Java found: install Java 17 or later and Maven',
    });
    await fakeJava(folder, '11.0.2');
    await expect(findJava({ PATH: folder })).rejects.toMatchObject({
      code: 'JAVA_TOO_OLD',
      message: 'Java 11 (java) is too old: install Java 17 or later, or set JAVA_HOME to one',
    });
  });
});

test.each([
  ['ID=debian\n', 'linux', /^sudo apt install/],
  ['ID=linuxmint\nID_LIKE="ubuntu debian"\n', 'linux', /^sudo apt install/],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'linux', /^sudo dnf install/],
  ['ID=alpine\n', 'linux', /^apk add/],
  ['', 'darwin', /^brew install/],
])('names the command of %j on %s', (release, platform, command) =>
  expect(installCommand(release, platform)).toMatch(command),
);

test('names no command of a platform that it does not know', () => {
  expect(installCommand('ID=nixos\n', 'linux')).toBeUndefined();
});

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

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { findJava, javaCommand } from './installation.ts';
import { installProgram } from './testing/programs.ts';

describe('findJava', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  /** Installs a `java` that only prints its version. */
  const fakeJava = (bin: string, version: string) =>
    installProgram(bin, 'java', `echo 'openjdk version "${version}"' >&2`);

  test('uses the Java of JAVA_HOME, else the one on the PATH', async () => {
    await fakeJava(join(folder, 'home', 'bin'), '21.0.1');
    await fakeJava(join(folder, 'path'), '17.0.1');
    const env = { JAVA_HOME: join(folder, 'home'), PATH: join(folder, 'path') };
    expect(await findJava(env)).toEqual({ path: join(folder, 'home', 'bin', 'java'), version: '21.0.1' });
    expect(await findJava({ PATH: env.PATH })).toEqual({ path: 'java', version: '17.0.1' });
  });

  test('reports a missing or old Java', async () => {
    await expect(findJava({ PATH: folder })).rejects.toMatchObject({
      code: 'JAVA_MISSING',
      message: 'no Java found: install Java 17 or later and Maven',
    });
    await expect(findJava({ PATH: folder, JAVA_HOME: '/no/java' })).rejects.toMatchObject({
      code: 'JAVA_MISSING',
      message: 'JAVA_HOME has no Java (/no/java/bin/java): install Java 17 or later and Maven',
    });
    await fakeJava(folder, '11.0.2');
    await expect(findJava({ PATH: folder })).rejects.toMatchObject({
      code: 'JAVA_TOO_OLD',
      message: 'Java 11.0.2 (java) is too old: install Java 17 or later, or set JAVA_HOME to one',
    });
  });
});

test('has the first server of a version of Java write the archive of its classes, and later ones use it', async () => {
  const folder = temporaryFolder();
  const archive = join(folder, 'kafka-java-17.0.15.jsa');
  const options = () => javaCommand({ path: 'java', version: '17.0.15' }, folder, 'kafka', 256);
  expect(options()).toContain(`-XX:ArchiveClassesAtExit=${archive}`);
  await writeFile(archive, '');
  expect(options()).toContain(`-XX:SharedArchiveFile=${archive}`);
});

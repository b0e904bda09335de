import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { findJava, majorOf } from './java.ts';
import { installProgram } from './testing/programs.ts';

describe('majorOf', () => {
  test.each([
    ['17.0.15', 17],
    ['1.8.0_392', 8],
    ['21', 21],
    ['25-ea', 25],
  ])('%s', (version, major) => {
    expect(majorOf(version)).toBe(major);
  });
});

describe('findJava', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  /** Installs a `java` that only prints its version. */
  const fakeJava = (bin: string, version: string) =>
    installProgram(bin, 'java', `echo 'openjdk version "${version}"' >&2`);

  test('prefers the Java of JAVA_HOME to the one on the PATH', async () => {
    await fakeJava(join(folder, 'home', 'bin'), '21.0.1');
    await fakeJava(join(folder, 'path'), '17.0.1');
    const env = { JAVA_HOME: join(folder, 'home'), PATH: join(folder, 'path') };
    expect(await findJava(env)).toEqual({ path: join(folder, 'home', 'bin', 'java'), version: '21.0.1' });
    expect(await findJava({ PATH: env.PATH })).toEqual({ path: 'java', version: '17.0.1' });
  });

  test('skips a Java that is too old if another is suitable', async () => {
    await fakeJava(join(folder, 'home', 'bin'), '11.0.2');
    await fakeJava(join(folder, 'path'), '17.0.1');
    const env = { JAVA_HOME: join(folder, 'home'), PATH: join(folder, 'path') };
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

import { writeFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { cacheFolder, findJava, install, javaCommand } from './installation.ts';
import { type Env, KAFKA_VERSION } from './settings.ts';
import { installProgram } from './testing/programs.ts';

let folder: string;
let env: Env;
beforeEach(() => {
  folder = temporaryFolder();
  env = { PATH: `${folder}/bin:/usr/bin:/bin`, XDG_CACHE_HOME: join(folder, 'cache'), HERE: folder };
});

/** Installs an `mvn` that counts its runs in the file `runs`, then runs a script; $out is the folder to fill. */
async function fakeMaven(script: string): Promise<void> {
  const text = `
    echo run >> "$HERE/runs"
    for each in "$@"; do case $each in -Dbackbone.dir=*) out=\${each#*=};; esac; done
    ${script}`;
  await installProgram(join(folder, 'bin'), 'mvn', text);
}

/** Waits until the test creates the file `go`. */
const UNTIL_GO = 'until [ -f "$HERE/go" ]; do sleep 0.1; done';
const COMPLETE = 'mkdir -p "$out/kafka" "$out/registry"; touch "$out/registry/registry-1-runner.jar"';
const go = () => writeFileSync(join(folder, 'go'), '');
const runs = async () => (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n').length;

test('returns the cache folder of XDG, else that of the home folder', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: '/cache', HOME: '/home/me' })).toBe('/cache/touchline');
  expect(cacheFolder({ XDG_CACHE_HOME: 'not/absolute', HOME: '/home/me' })).toBe('/home/me/.cache/touchline');
  expect(cacheFolder({ HOME: '/home/me' })).toBe('/home/me/.cache/touchline');
});

test('downloads once for two processes at once, and reports the progress', async () => {
  await fakeMaven(`${UNTIL_GO}; ${COMPLETE}`);
  const lines: string[] = [];
  const seen = (text: string) => lines.some((line) => line.startsWith(text));
  // The first process continues once the second waits for it, and it has said so.
  const onProgress = (line: string) => {
    lines.push(line);
    if (seen('waiting for another process') && seen('downloading the broker')) go();
  };
  const both = await Promise.all([install(env, onProgress), install(env, onProgress)]);
  const again = await install(env, (line) => lines.push(line));
  expect(await runs()).toBe(1);
  expect(both[0]).toEqual(both[1]);
  expect(again).toEqual(both[0]);
  expect(again.registryJar).toMatch(/touchline\/backbone-[0-9a-f]{12}\/registry\/registry-1-runner\.jar$/);
  expect(lines).toContain('downloading the broker and the registry with Maven, once: 0 s');
});

test('downloads another version of the broker once, in addition to the default', async () => {
  await fakeMaven(`echo "$@" >> "$HERE/arguments"; ${COMPLETE}`);
  const [usual, other] = [await install(env, () => {}), await install(env, () => {}, '9.8.7')];
  expect(await install(env, () => {})).toEqual(usual);
  expect(await install(env, () => {}, '9.8.7')).toEqual(other);
  expect(other.kafkaLibs).not.toBe(usual.kafkaLibs);
  const [first, second, ...more] = (await readFile(join(folder, 'arguments'), 'utf8')).trim().split('\n');
  expect(first).toContain(` -Dkafka.version=${KAFKA_VERSION} `);
  expect(second).toContain(' -Dkafka.version=9.8.7 ');
  expect(more).toEqual([]);
});

test.each([
  ['is interrupted', 'mkdir -p "$out/kafka"; touch "$out/kafka/half.jar"; kill -9 $$'],
  ['reports success', 'mkdir -p "$out/kafka" "$out/registry"; touch "$out/kafka/half.jar"'],
])('ignores the files of an incomplete download that %s', async (_, script) => {
  await fakeMaven(script);
  await expect(install(env, () => {})).rejects.toMatchObject({ code: 'DOWNLOAD_FAILED' });
  await fakeMaven(COMPLETE);
  const { kafkaLibs } = await install(env, () => {});
  expect(await readdir(kafkaLibs)).toEqual([]);
  expect(await runs()).toBe(2);
});

test('reports the error of Maven', async () => {
  await fakeMaven(
    `echo '[INFO] hm'; echo '[ERROR] no route to host -> [Help 1]'; echo '[ERROR] more'; exit 1`,
  );
  const why = 'Maven could not download the broker and the registry: no route to host (';
  await expect(install(env, () => {})).rejects.toThrow(why);
});

test('reports a missing Maven only if a download is needed', async () => {
  const without = { ...env, PATH: join(folder, 'bin') };
  await expect(install(without, () => {})).rejects.toMatchObject({
    code: 'MAVEN_MISSING',
    message: 'no Maven found to download the broker and the registry with: install Maven 3.6 or later (mvn)',
  });
  await fakeMaven(COMPLETE);
  await install(env, () => {});
  await rm(join(folder, 'bin'), { recursive: true });
  await install(without, () => {});
});

describe('findJava', () => {
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
  const archive = join(folder, 'kafka-java-17.0.15.jsa');
  const options = () => javaCommand({ path: 'java', version: '17.0.15' }, folder, 'kafka', 256);
  expect(options()).toContain(`-XX:ArchiveClassesAtExit=${archive}`);
  await writeFile(archive, '');
  expect(options()).toContain(`-XX:SharedArchiveFile=${archive}`);
});

/** The scripts of Kafka's distribution that pages and messages print, run with jars that Maven fetches. */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, install } from '#embedded/installation.ts';
import { KAFKA_VERSION } from '#embedded/settings.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What each script runs, as in `bin/` of the distribution. */
const CLASSES: Readonly<Record<string, string>> = {
  'kafka-topics.sh': 'org.apache.kafka.tools.TopicCommand',
  'kafka-acls.sh': 'org.apache.kafka.tools.AclCommand',
  'kafka-configs.sh': 'kafka.admin.ConfigCommand',
  'kafka-consumer-groups.sh': 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand',
  'kafka-transactions.sh': 'org.apache.kafka.tools.TransactionsCommand',
};
/** Not every part of the embedded broker's version is on Maven Central; MirrorMaker is a client of any broker. */
const MIRROR_VERSION = '4.3.1';

/** Returns a folder with the scripts, which the embedded broker lacks the classes of. */
export async function kafkaScripts(): Promise<string> {
  const { kafkaLibs } = await install(process.env, () => {});
  const tools = await jars('kafka-tools', KAFKA_VERSION, [
    'dependency:copy',
    `-Dartifact=org.apache.kafka:kafka-tools:${KAFKA_VERSION}`,
  ]);
  const folder = temporaryFolder();
  for (const [script, main] of Object.entries(CLASSES))
    writeScript(folder, script, `java -XX:TieredStopAtLevel=1 -cp '${kafkaLibs}/*:${tools}/*' ${main} "$@"`);
  return folder;
}

const MIRROR_POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>touchline</groupId><artifactId>mirror</artifactId><version>1</version><packaging>pom</packaging><dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>connect-mirror</artifactId><version>${MIRROR_VERSION}</version></dependency>
</dependencies></project>`;

export async function mirrorMaker(): Promise<string> {
  const libs = await jars('connect-mirror', MIRROR_VERSION, [
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
  ]);
  const folder = temporaryFolder();
  writeScript(
    folder,
    'connect-mirror-maker.sh',
    `java -cp '${libs}/*' org.apache.kafka.connect.mirror.MirrorMaker "$@"`,
  );
  return folder;
}

function writeScript(folder: string, name: string, command: string): void {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\nexec ${command}\n`);
  chmodSync(file, 0o755);
}

/** Returns the folder of the cache with these jars; Maven fetches them the first time. */
async function jars(name: string, version: string, goal: readonly string[]): Promise<string> {
  const folder = join(cacheFolder(process.env), `${name}-${version}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, 'pom.xml'), MIRROR_POM);
  await promisify(execFile)('mvn', ['-q', '-B', ...goal, `-DoutputDirectory=${partial}`], {
    cwd: partial,
    env: { HOME: homedir(), ...process.env },
  });
  renameSync(partial, folder);
  return folder;
}

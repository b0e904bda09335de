import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '#security/folders.ts';
import type { Java } from './java.ts';

/** An archive of the classes that a server loaded in an earlier run on this machine. */
type ClassArchive = {
  /** Arguments for the server's Java. */
  readonly jvmArgs: readonly string[];
  /** Writes the archive from a running server, unless it exists. Ignores failures. */
  write(pid: number): Promise<void>;
};

const WRITE_TIMEOUT_MS = 60_000;

/**
 * Returns the archive of a server's classes (class data sharing, JEP 350) in `folder`. It saves 5 of
 * 16 s of processor time of the start of a broker with its registry. The first start writes it, unless Java has no `jcmd`.
 * Java ignores an archive of other jars, so its name need only distinguish servers and Java versions.
 */
export function classArchive(folder: string, server: string, java: Java): ClassArchive {
  const archive = join(folder, `${server}-java-${java.version}.jsa`);
  if (existsSync(archive)) return { jvmArgs: [`-XX:SharedArchiveFile=${archive}`], write: async () => {} };
  return {
    // A Java without this option must still start.
    jvmArgs: ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:+RecordDynamicDumpInfo'],
    async write(pid) {
      const partial = `${archive}.${pid}`;
      try {
        makeFolder(folder);
        const jcmd = join(dirname(java.path), 'jcmd'); // on the PATH if `java` is
        await promisify(execFile)(jcmd, [String(pid), 'VM.cds', 'dynamic_dump', partial], {
          timeout: WRITE_TIMEOUT_MS,
        });
        await rename(partial, archive);
      } catch {
        await rm(partial, { force: true }).catch(() => {});
      }
    },
  };
}

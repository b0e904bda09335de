/** The file by which the command line finds the broker and registry of a running `touchline up`. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type BackboneAddress = {
  readonly brokers: readonly string[];
  readonly registryUrl: string;
  readonly topicPrefix: string;
};

type Content = BackboneAddress & { readonly pid: number };

/** Returns access to `backbone.json` in a data folder. */
export function backboneFile(dataDir: string) {
  const path = join(dataDir, 'backbone.json');
  return {
    path,
    /** Returns the address; null without a file, or if its writer ended without removing it. */
    read(): BackboneAddress | null {
      const content = load(path);
      if (content === null || !isRunning(content.pid)) return null;
      const { brokers, registryUrl, topicPrefix } = content;
      return { brokers, registryUrl, topicPrefix };
    },
    /** Stores the address, with this process as its writer. */
    write(address: BackboneAddress): void {
      const content: Content = { ...address, pid: process.pid };
      mkdirSync(dataDir, { recursive: true });
      // Renamed into place, so that a reader never sees half a file.
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`);
      renameSync(draft, path);
    },
    /** Removes the file where this process wrote it. */
    remove(): void {
      if (load(path)?.pid === process.pid) rmSync(path, { force: true });
    },
  };
}

function load(path: string): Content | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Content;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: a running process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

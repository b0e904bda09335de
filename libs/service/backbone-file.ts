/** How the command line finds the broker and the registry that a running `touchline up` has started. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where topics and schemas are. */
type BackboneAddress = {
  readonly brokers: readonly string[];
  readonly registryUrl: string;
  readonly topicPrefix: string;
};

/** `backbone.json` in a data folder. */
export type BackboneFile = {
  readonly path: string;
  /** The address; null where there is no file, or the process that wrote it has ended without taking it away. */
  read(): BackboneAddress | null;
  /** Says that this process holds the backbone at that address. */
  write(address: BackboneAddress): void;
  /** Takes the file away where it is this process's own. */
  remove(): void;
};

type Content = BackboneAddress & { readonly pid: number };

/** The file of a data folder. Nothing is read or written yet. */
export function backboneFile(dataDir: string): BackboneFile {
  const path = join(dataDir, 'backbone.json');
  return {
    path,
    read() {
      const content = load(path);
      if (content === null || !isRunning(content.pid)) return null;
      const { brokers, registryUrl, topicPrefix } = content;
      return { brokers, registryUrl, topicPrefix };
    },
    write(address) {
      const content: Content = { ...address, pid: process.pid };
      mkdirSync(dataDir, { recursive: true });
      // Renamed into place: a reader sees all of it or nothing.
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`);
      renameSync(draft, path);
    },
    remove() {
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
    // Of another user, and running.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

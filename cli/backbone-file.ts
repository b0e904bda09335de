/**
 * The files by which the command line and a `touchline up` of the same data folder find each other: JSON that speaks for the process that
 * wrote it, for as long as that process runs.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Lock, tryLock } from '#embedded/folder.ts';
import { makeFolder } from '#security/folders.ts';
import { CommandError } from './command.ts';

/** Returns access to the address of the broker and registry of a running `touchline up`, which starts, runs or stops. */
export function backboneFile(dataDir: string) {
  return ownedFile<{
    readonly brokers: readonly string[];
    readonly registryUrl: string;
    readonly topicPrefix: string;
  }>(join(dataDir, 'backbone.json'));
}

/** Returns access to the services that `touchline up` stops for as long as the command that wrote the file runs. */
export function pausedServicesFile(dataDir: string) {
  return ownedFile<{ readonly services: readonly string[] }>(join(dataDir, 'paused-services.json'));
}

function ownedFile<T extends object>(path: string) {
  let lock: Lock | undefined;
  /** Makes this process the only writer, until `remove` or its end. Returns false while another one is. Throws `FolderError`. */
  const claim = (): boolean => {
    makeFolder(dirname(path));
    lock ??= tryLock(`${path}.lock`);
    return lock !== undefined;
  };
  return {
    path,
    claim,
    /** Returns the value; null without a file, or if its writer ended without removing it. */
    read(): T | null {
      const content = load<T>(path);
      return content !== null && isRunning(content.pid) ? content : null;
    },
    /** Stores a value, with this process as its writer. Throws `CommandError` while another one is, and `FolderError`. */
    write(value: T): void {
      if (!claim()) throw new CommandError(`${path} belongs to another process that runs`);
      // Renamed into place, so that a reader never sees half a file.
      const draft = `${path}.${process.pid}`;
      try {
        writeFileSync(draft, `${JSON.stringify({ ...value, pid: process.pid }, null, 2)}\n`);
        renameSync(draft, path);
      } catch (error) {
        rmSync(draft, { force: true });
        throw error;
      }
    },
    /** Removes the file where this process wrote it, so that others may write it. */
    remove(): void {
      if (lock === undefined) return;
      try {
        if (load<T>(path)?.pid === process.pid) rmSync(path, { force: true });
      } catch {
        // On a read-only disk it stays, and has no value once this process has ended.
      }
      lock.release();
      lock = undefined;
    },
  };
}

function load<T>(path: string): (T & { readonly pid: number }) | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T & { readonly pid: number };
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

import { execFile } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { FolderError, makeFolder, openError } from '#security/folders.ts';
import { poll } from '#timing/poll.ts';
import { EmbeddedError } from './settings.ts';

/** The notes in a used data folder, for the next start. */
type FolderNotes = {
  /** Pid of the process that started the broker. */
  readonly owner: number;
  /** Pid of the broker, once it has started. */
  readonly broker?: number;
  readonly port: number;
};

/** A data folder that this process owns until it releases it. */
export type OwnedFolder = {
  readonly path: string;
  /** Notes of the last broker in the folder; undefined without readable ones. */
  readonly last: FolderNotes | undefined;
  note(notes: FolderNotes): Promise<void>;
  release(): void;
};

/** Timeout for the end of a broker whose starter was killed: usually seconds, more on a busy machine. */
const LEFTOVER_TIMEOUT_MS = 60_000;

/** Creates the folder and claims it for this process. Throws DATA_FOLDER_IN_USE with the pid of the owner. */
export async function ownFolder(path: string): Promise<OwnedFolder> {
  makeFolder(path);
  const file = join(path, 'broker.json');
  const lock = tryLock(join(path, 'broker.lock'));
  // None yet, or half-written by a killed process: nothing is lost.
  const last = await readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as FolderNotes)
    .catch(() => undefined);
  const ended = async () => last?.broker === undefined || !(await runsIn(last.broker, path));
  if (lock === undefined || !(await poll(ended, { timeoutMs: LEFTOVER_TIMEOUT_MS }))) {
    const user = lock === undefined ? last?.owner : last?.broker;
    lock?.release();
    const who = user === undefined ? 'another process' : `process ${user}`;
    const advice = 'stop that one, or set DATA_DIR to another folder';
    throw new EmbeddedError('DATA_FOLDER_IN_USE', `the data folder ${path} is in use by ${who}: ${advice}`);
  }
  return {
    path,
    last,
    async note(notes) {
      // Renamed into place: a full disk would leave an empty file, and the next start other ports.
      await writeFile(`${file}.new`, `${JSON.stringify(notes)}\n`);
      await rename(`${file}.new`, file);
    },
    release: lock.release,
  };
}

/** Whether the process runs and its command names the folder. Another process may have reused the pid. */
async function runsIn(pid: number, folder: string): Promise<boolean> {
  const command =
    process.platform === 'linux'
      ? readFile(`/proc/${pid}/cmdline`, 'utf8')
      : promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).then(({ stdout }) => stdout);
  return command.then(
    (text) => text.includes(folder),
    () => false,
  );
}

/** Of two processes that lock at once one waits for the other, which gives up: without a wait both would fail. Milliseconds. */
const WAIT_MS = 100;

const SQLITE_BUSY = 5;

/** Keeps locks from the garbage collector, which would release them. */
const held = new Set<DatabaseSync>();

/** A lock that is held until its release, or until this process ends, even by a kill. */
export type Lock = { release(): void };

/** Locks a file by SQLite's lock, which ends with the process; undefined if it is held. Throws `FolderError`, which names `setting`. */
export function tryLock(file: string, setting = 'DATA_DIR'): Lock | undefined {
  let database: DatabaseSync | undefined;
  try {
    const opened = new DatabaseSync(file, { timeout: WAIT_MS });
    database = opened;
    opened.exec('BEGIN EXCLUSIVE');
    held.add(opened);
    return { release: () => held.delete(opened) && opened.close() };
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw new FolderError(setting, dirname(file), openError(file) ?? error);
  }
}

/** The file of a replica's views. Everything in it comes from the topics, so a damaged file is rebuilt. */

import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { shortageOf } from '#errors/shortages.ts';
import { defineError, TouchlineError } from '#errors/touchline-error.ts';
import { FolderError, openError, requireFolder } from '#security/folders.ts';
import { INDEXES, SCHEMA, SCHEMA_ID } from './schema.ts';

/** Thrown when another process has the views open. */
export class ViewsInUseError extends defineError('ViewsInUseError', (folder: string, cause: unknown) => [
  'VIEWS_IN_USE',
  `${folder} is in use by another process; give each replica its own DATA_DIR`,
  cause,
]) {}

/** Thrown when another program deleted, replaced or wrote the file of open views: nobody knows what it has. */
export class ViewsLostError extends defineError('ViewsLostError', (folder: string) => [
  'VIEWS_LOST',
  `${join(folder, FILE)} was deleted, replaced or written by another program while it was open: the next start rebuilds the views; stop a process before you touch its DATA_DIR`,
]) {}

export type OpenViewsOptions = {
  readonly folder: string;
  /** What they were built from: the ids of the topics by name, and the competitions that are served. Others are not reused. */
  readonly source: Readonly<Record<string, string>>;
  /** Maximum time since the last write of views that are reused, milliseconds. */
  readonly maxAgeMs: number;
  /** Identifies the time since the machine's last start; null where that is unknown. */
  readonly boot: string | null;
  /** Unix milliseconds. */
  readonly now: number;
};

export type OpenedViews = ReturnType<typeof openViews>;

const FILE = 'views.sqlite';
/**
 * Tells how the views were left. While they are open, and written without waiting for the disk, it has the start of the machine at
 * which they were opened: a process that is killed leaves whole views behind, a machine that stops may leave damaged ones. Once
 * they are closed it has their checksum. SQLite would not always notice either.
 */
const MARK = 'views.mark';
const CHECKSUM = 'sha256:';
/** Pages between two checkpoints, each of which waits for the disk: after the build, requests wait for it too. */
const BUILD_CHECKPOINT_PAGES = 8_000;
const CHECKPOINT_PAGES = 1_000;
/** SQLite's codes for a database or table that is locked. */
const BUSY = new Set([5, 6]);
/** SQLite's codes for an unreadable disk, a damaged file, and a file that is no database. */
const BROKEN = new Set([10, 11, 26]);
/** SQLite's codes for a read-only file and a full disk. */
const UNWRITABLE = new Set([8, 13]);
/** SQLite's extended codes for a failed write, fsync and truncation: what was committed before stays readable. */
const FAILED_WRITES = new Set([0x30a, 0x40a, 0x60a]);

/** Returns the id of the time since the machine's last start; null where the system has none. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

/**
 * Opens the views in a folder. Reuses existing ones that have this schema and source, were written within `maxAgeMs`
 * (older ones may have missed tombstones), were closed before the machine stopped and not changed since; else creates empty ones. Throws
 * `ViewsInUseError`, and `FolderError` when they cannot be written.
 */
export function openViews(options: OpenViewsOptions) {
  const { folder, boot } = options;
  requireFolder('DATA_DIR', folder);
  try {
    const { database, fresh } = reuseOrCreate(options);
    try {
      if (boot === null) rmSync(join(folder, MARK), { force: true });
      else {
        writeMark(folder, boot);
        database.exec('PRAGMA synchronous = OFF');
      }
    } catch (error) {
      database.close();
      throw error;
    }
    let known = fileState(folder);
    const commit = (): void => {
      if (fileState(folder) !== known) throw new ViewsLostError(folder);
      if (database.isTransaction) database.exec('COMMIT');
      known = fileState(folder);
    };
    return {
      database,
      /** The reason why it was created empty; null if it is reused. */
      fresh,
      /** Commits the open transaction, if any. Throws `ViewsLostError` when another program touched the file since the last commit. */
      commit,
      /** Creates the indexes that views lack while they are built, and makes checkpoints short. */
      finishBuild() {
        commit();
        for (const index of INDEXES) database.exec(index);
        database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
        known = fileState(folder);
      },
      /** Commits, and closes the database. Throws SQLite's error when the disk does not take the rest. Deletes a file that another program touched. */
      close() {
        const isLost = fileState(folder) !== known;
        try {
          if (!isLost) {
            commit();
            // Waits until the disk has all of the file, also what it was given before.
            database.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)');
          }
        } finally {
          database.close();
        }
        if (isLost) removeViews(folder);
        else writeMark(folder, checksumOf(folder));
      },
    };
  } catch (error) {
    const isOfDisk = isUnwritable(error) || shortageOf(error) !== null;
    throw isOfDisk && !(error instanceof TouchlineError) ? new FolderError('DATA_DIR', folder, error) : error;
  }
}

/** Returns what changes when another program deletes, replaces or writes the file: SQLite writes it in commits alone; undefined without a file. */
function fileState(folder: string): string | undefined {
  const file = statSync(join(folder, FILE), { throwIfNoEntry: false, bigint: true });
  if (file === undefined || !LOCAL.has(statfsSync(folder).type)) return file?.ino.toString();
  return [file.ino, file.size, file.mtimeNs].join();
}

/** Local file systems, as of statfs(2): ext, xfs, btrfs, f2fs, zfs, tmpfs, overlay. On others, as NFS, the time of the last write may change later. */
const LOCAL = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630]);

/** On the disk before anything is written without waiting for it. */
function writeMark(folder: string, mark: string): void {
  writeFileSync(join(folder, MARK), mark, { flush: true });
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function checksumOf(folder: string): string {
  const hash = createHash('sha256');
  const file = openSync(join(folder, FILE), 'r');
  try {
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk))
      hash.update(chunk.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return `${CHECKSUM}${hash.digest('hex')}`;
}

/** Returns the reason why views, as they were left, cannot be reused; null if they can. */
function damageOf(folder: string, boot: string | null): string | null {
  try {
    const mark = readFileSync(join(folder, MARK), 'utf8');
    if (!mark.startsWith(CHECKSUM)) return mark === boot ? null : 'the machine stopped while it was open';
    return mark === checksumOf(folder) ? null : 'it was changed since it was closed';
  } catch (error) {
    if (shortageOf(error) !== null) throw error;
    return null;
  }
}

function reuseOrCreate({ folder, source, maxAgeMs, boot, now }: OpenViewsOptions) {
  const path = join(folder, FILE);
  const meta = { schema: SCHEMA_ID, source: JSON.stringify(source), used: String(now) };
  const damage = damageOf(folder, boot);
  let fresh: string;
  try {
    const database = open(path);
    const problem = damage ?? problemOf(database, meta, now - maxAgeMs);
    if (problem === null) return { database, fresh: null };
    if (damage === null && database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined)
      return { database: created(database, meta), fresh: problem };
    fresh = problem;
    database.close();
  } catch (error) {
    if (BUSY.has(codeOf(error) & 0xff)) throw new ViewsInUseError(folder, error);
    // Existing views are kept where only the disk or this process lacks something.
    if (isUnwritable(error)) throw error;
    const cause = openError(path);
    if (shortageOf(cause) !== null) throw new FolderError('DATA_DIR', folder, cause);
    fresh = 'it cannot be read';
  }
  removeViews(folder);
  return { database: created(open(path), meta), fresh };
}

function created(database: DatabaseSync, meta: Readonly<Record<string, string>>): DatabaseSync {
  database.exec(SCHEMA);
  const write = database.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
  for (const [key, value] of Object.entries(meta)) write.run(key, value);
  return database;
}

/** Whether an error shows that the file cannot be written: a full disk, or one that became read-only. */
export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.has(codeOf(error) & 0xff) || FAILED_WRITES.has(codeOf(error));
}

/** Deletes the views of a folder; they must be closed. */
export function removeViews(folder: string): void {
  for (const name of [FILE, `${FILE}-wal`, `${FILE}-shm`, MARK]) rmSync(join(folder, name), { force: true });
}

/** Whether an error shows that the file is damaged or unreadable. */
export function isBroken(error: unknown): boolean {
  return BROKEN.has(codeOf(error) & 0xff) && !isUnwritable(error);
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    // Exclusive: two processes on one file would overwrite each other's data.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536; BEGIN IMMEDIATE; COMMIT');
    database.exec(`PRAGMA wal_autocheckpoint = ${BUILD_CHECKPOINT_PAGES}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Returns the reason why existing views cannot be reused; null if they can. `usedSince`: Unix milliseconds. */
function problemOf(
  database: DatabaseSync,
  wanted: { readonly schema: string; readonly source: string },
  usedSince: number,
): string | null {
  const [tables] = database.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'meta'").all();
  if (tables?.n !== 1) return 'it is empty';
  const rows = database.prepare('SELECT key, value FROM meta').all();
  const { schema, source, used } = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  if (schema !== wanted.schema) return 'another release created it';
  if (source !== wanted.source) return 'it was created from other topics, or for other competitions';
  return Number(used) < usedSince ? 'it was unused for too long' : null;
}

/** Returns SQLite's extended result code, whose low byte is the primary one; 0 for other errors. */
function codeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : 0;
}

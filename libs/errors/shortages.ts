/** What a process or its machine has run out of, and what to do about it: one wording, wherever an error of the system shows it. */
import { causesOf } from './touchline-error.ts';

/** How to let a process open more files and connections. */
export const RAISE_FILES = 'raise the limit (ulimit -n, LimitNOFILE of systemd, ulimits of Compose)';
/** How to give a process of Node more heap. */
export const RAISE_HEAP = 'give it more with NODE_OPTIONS=--max-old-space-size=<MiB>';

/** By the code of the system's error. `text`: how a program of Java words it, which shows no code. */
const SHORTAGES = {
  EMFILE: {
    text: /Too many open files(?! in system)/,
    advice: `the process can open no more files and connections: ${RAISE_FILES}`,
  },
  ENFILE: {
    text: /Too many open files in system/,
    advice: 'the machine can open no more files: raise fs.file-max',
  },
  ENOSPC: { text: /No space left on device/, advice: 'the disk is full: free space on it' },
  EDQUOT: {
    text: /Disk quota exceeded/,
    advice: 'the quota of the disk is used up: raise it, or free space',
  },
  EROFS: { text: /Read-only file system/, advice: 'the file system is read-only: mount it writable' },
  ENOMEM: {
    text: /Cannot allocate memory|insufficient memory for the Java|java\.lang\.OutOfMemoryError/,
    advice: 'memory is used up: give the machine or the container more',
  },
} as const;

export type Shortage = keyof typeof SHORTAGES;

/** Returns what the process lacked when an error, or a cause of it, occurred; null for any other error. */
export function shortageOf(error: unknown): Shortage | null {
  const found = causesOf(error).find(({ code }) => Object.hasOwn(SHORTAGES, String(code)));
  return found === undefined ? null : (found.code as Shortage);
}

/** Returns what a program lacked that wrote this text; null when it names nothing. */
export function shortageIn(text: string): Shortage | null {
  const found = Object.entries(SHORTAGES).find(([, shortage]) => shortage.text.test(text));
  return found === undefined ? null : (found[0] as Shortage);
}

/** Whether it is the disk, and not the process or the machine, that lacks something. */
export function isOfDisk(shortage: Shortage | null): boolean {
  return shortage === 'ENOSPC' || shortage === 'EDQUOT' || shortage === 'EROFS';
}

/** Returns the message of an error; where it shows a shortage, with what to do. */
export function withAdvice(error: Error): string {
  const shortage = shortageOf(error);
  return shortage === null ? error.message : `${error.message}: ${adviceOf(shortage)}`;
}

/** Returns what is used up, and what to do, as one clause. */
export function adviceOf(shortage: Shortage): string {
  return SHORTAGES[shortage].advice;
}

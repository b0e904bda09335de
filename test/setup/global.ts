import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { startBackbone } from '#embedded/backbone.ts';
import { endProgress, showProgress } from '#embedded/progress.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { startThrowaway } from '#embedded/testing/throwaway.ts';
import { serviceNames } from '../../cli/services.ts';
import { bareEnvironment } from '../support/environment.ts';
import { bundlePrograms } from './programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    brokers: string[];
    registryUrl: string;
    /** Temporary folder of this run, removed at its end. */
    folder: string;
  }
}

type Shared = Awaited<ReturnType<typeof start>>;
type Holder = { users: number; started: Promise<Shared> | undefined };

/**
 * Key of the state that all projects of a run share. Each project loads its own copy of this module, so the state is on
 * the global object. The first project starts the broker and the registry, the last one stops them.
 */
const HOLDER = Symbol.for('touchline.test.backbone');
const scope = globalThis as typeof globalThis & { [HOLDER]?: Holder };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  scope[HOLDER] ??= { users: 0, started: undefined };
  const holder = scope[HOLDER];
  holder.users++;
  holder.started ??= start();
  const { brokers, registryUrl, folder, stop } = await holder.started;
  project.provide('brokers', brokers);
  project.provide('registryUrl', registryUrl);
  project.provide('folder', folder);
  return async () => {
    holder.users--;
    if (holder.users > 0) return;
    holder.started = undefined;
    await stop();
  };
}

async function start() {
  const dataDir = await mkdtemp(join(await dataRoot(), 'touchline-test-'));
  // For this process, the processes that run tests, and those that tests start.
  process.env.NODE_COMPILE_CACHE = join(dataDir, 'compile-cache');
  // Node leaves out warnings about what packages do, as when a service loads them itself.
  const programs = join(dataDir, 'node_modules', 'programs');
  process.env.TEST_PROGRAMS = programs;
  const onProgress = showProgress(process.stderr);
  try {
    const { JDK_JAVA_OPTIONS: options = '' } = process.env;
    // The JVM's second compiler takes a third of a test broker's cpu time, and tests are too short to gain by it.
    process.env.JDK_JAVA_OPTIONS = [options, ...QUICK_START].join(' ');
    const [backbone] = await Promise.all([
      startBackbone({ dataDir, env: process.env, onProgress, startContainers: startThrowaway }),
      bundlePrograms(programs).then(() => fillCompileCache(programs)),
    ]);
    endProgress(process.stderr);
    process.stderr.write(`${backbone.why}\n`);
    const stop = async () => {
      await backbone.stop();
      delete process.env.NODE_COMPILE_CACHE;
      delete process.env.TEST_PROGRAMS;
      process.env.JDK_JAVA_OPTIONS = options;
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
    };
    return { brokers: backbone.brokers, registryUrl: backbone.registryUrl, folder: dataDir, stop };
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
}

/** Folder of the files in memory (Linux). */
const IN_MEMORY = '/dev/shm';
/** What all brokers of a run may write there, and the memory that must be free besides, bytes. */
const DATA_BYTES = 4 * 1024 ** 3;

/**
 * Returns a folder for the data of all brokers: in memory where there is enough, as each topic is dozens of small files, which cost half
 * of the kernel's time there. A kill loses as much of either: only a crash of the machine distinguishes them.
 */
async function dataRoot(): Promise<string> {
  const found = await statfs(IN_MEMORY).catch(() => null);
  const isRoomy = found !== null && found.bavail * found.bsize > DATA_BYTES && freemem() > 2 * DATA_BYTES;
  return isRoomy ? IN_MEMORY : tmpdir();
}

/**
 * Fills NODE_COMPILE_CACHE with the code of every service. Node writes the cache when a process exits normally, but
 * tests mostly kill their processes: without this, hundreds of starts would compile all of their modules.
 */
async function fillCompileCache(programs: string): Promise<void> {
  for (const name of serviceNames()) {
    const args = [join(programs, `${name}.mjs`), '--help'];
    await promisify(execFile)(process.execPath, args, { env: bareEnvironment() });
  }
}

#!/usr/bin/env node
/**
 * Starts the command line on Node 24, which runs the TypeScript sources without a build. This file is plain JavaScript, so
 * that any Node from 20 on can run it; an older Node starts the one of the package `node`.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIRED_MAJOR = 24;
const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));

// Caches compiled code, for started services too: a start then takes a third of the time. The cache is inside the
// installation, because whoever can write there can run code here anyway. A read-only installation has no cache.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../node_modules/.cache/touchline', import.meta.url),
);

// Every process and thread of an installation needs it, and a thread has the options with which its process started.
const option = `--import=${new URL('typescript.js', import.meta.url).href}`;
const lacksOption =
  MAIN.includes(`${sep}node_modules${sep}`) && process.env.NODE_OPTIONS?.includes(option) !== true;
if (lacksOption) process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, option].filter(Boolean).join(' ');

if (Number.parseInt(process.versions.node, 10) < REQUIRED_MAJOR) runOn(pinnedNode());
else if (lacksOption) runOn(process.execPath);
else {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(MAIN);
}

/** Returns the binary of the package `node`. Exits with 1 when it is not installed. */
function pinnedNode() {
  try {
    const folder = dirname(module.createRequire(import.meta.url).resolve('node/package.json'));
    const binary = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(binary)) return binary;
  } catch {
    // Not installed: reported below.
  }
  process.stderr.write(
    `touchline: needs Node ${REQUIRED_MAJOR}, this is ${process.version}; run npm ci, which installs it\n`,
  );
  process.exit(1);
}

/** Runs the command line on another Node: passes signals on, and exits as that process does. */
function runOn(binary) {
  // The IPC channel closes however this process ends: the child then stops.
  const child = spawn(binary, [MAIN, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`touchline: cannot run ${binary}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

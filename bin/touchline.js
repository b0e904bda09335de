#!/usr/bin/env node
/**
 * Starts the command line on the Node that the sources need. Plain JavaScript, so that any Node from 20 on can run it:
 * the sources are TypeScript, which Node 24 runs as it is, and the package `node` brings one along.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));

// Compiled code of former runs, for the services that it starts too: a start takes a third of the time. The folder is that
// of the installation, since whoever can write to it can run code here; where it cannot be written, nothing is kept.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../node_modules/.cache/touchline', import.meta.url),
);

if (Number.parseInt(process.versions.node, 10) < NEEDED) runOn(pinnedNode());
else {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(MAIN);
}

/** The binary of the package `node`; ends the process where it is not installed. */
function pinnedNode() {
  try {
    const folder = dirname(module.createRequire(import.meta.url).resolve('node/package.json'));
    const binary = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(binary)) return binary;
  } catch {
    // Not installed: said below.
  }
  process.stderr.write(
    `touchline: needs Node ${NEEDED}, this is ${process.version}; run npm ci, which brings it along, or install it\n`,
  );
  process.exit(1);
}

/** Runs the command line on another Node, as if it were this process. */
function runOn(binary) {
  // The channel tells the child when this process is gone, however it went.
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

/** Runs the machine's nginx in front of a server, as a process of a test. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '#embedded/ports.ts';
import { atEnd } from './at-end.ts';
import { untilTrue } from './poll.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Whether nginx is installed. */
export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** Starts nginx with these bodies of `server` blocks, and returns their ports in order. */
export async function startNginx(servers: readonly string[]): Promise<readonly number[]> {
  return (await openNginx(servers)).ports;
}

/** A running nginx whose servers keep their ports. */
export type Nginx = {
  readonly ports: readonly number[];
  /** Replaces the directives of `http`, such as upstreams, without a pause. Does not wait until they apply. */
  reload(http: string): void;
};

/**
 * Starts nginx with a server on its own port for each of these bodies of a `server` block, and with these directives of
 * `http`. It is stopped after the test or file that started it.
 */
export async function openNginx(servers: readonly string[], http = ''): Promise<Nginx> {
  const folder = temporaryFolder();
  const ports: number[] = [];
  for (const _ of servers) ports.push(await freePort());
  const blocks = servers.map((server, at) => `server { listen 127.0.0.1:${ports[at]}; ${server} }`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = paths.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
  const config = join(folder, 'nginx.conf');
  const write = (directives: string): void =>
    writeFileSync(
      config,
      `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
     events { worker_connections 1024; }
     http { access_log off; ${temporary} ${directives} ${blocks.join('\n')} }`,
    );
  write(http);
  const child = spawn('nginx', ['-c', config, '-e', join(folder, 'error.log')], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  atEnd(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  for (const port of ports) await untilTrue(`nginx listens on ${port}`, () => accepts(port));
  return {
    ports,
    reload(directives) {
      write(directives);
      child.kill('SIGHUP');
    },
  };
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

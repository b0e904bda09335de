/** Runs the machine's nginx in front of a server, as a process of a test. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '#embedded/ports.ts';
import { atEnd } from './at-end.ts';
import { untilTrue } from './poll.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

export type Nginx = {
  readonly ports: readonly number[];
  /** Replaces the directives of `http`, such as upstreams, without a pause. Does not wait until they apply. */
  reload(http: string): void;
};

/**
 * Starts nginx with a server on its own port for each of these bodies of a `server` block, and with these directives of
 * `http`. It is stopped after the test or file that started it.
 */
export async function startNginx(servers: readonly string[], http = ''): Promise<Nginx> {
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
  for (const port of ports) await untilTrue(`nginx listens on ${port}`, () => answers(port));
  return {
    ports,
    reload(directives) {
      write(directives);
      child.kill('SIGHUP');
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}`, { redirect: 'manual' }).catch(() => null);
  await answer?.body?.cancel();
  return answer !== null;
}

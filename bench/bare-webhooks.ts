/** The dispatcher's peer: an undici client that signs prepared bodies and posts them one after the other. */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { signatureHeaders } from '#signing/signing.ts';

/** The printed result. */
export type BareCounts = { readonly cpuSeconds: number };

const [url, secret, caFile, bodyFile, loops, requests] = process.argv.slice(2);
if (url === undefined || secret === undefined || caFile === undefined || bodyFile === undefined)
  throw new Error('usage: bare-webhooks.ts URL SECRET CA BODY LOOPS REQUESTS');

const body = readFileSync(bodyFile);
const ca = readFileSync(caFile, 'utf8');
const { origin, pathname } = new URL(url);
const each = Math.ceil(Number(requests) / Number(loops));
const cpu = process.cpuUsage();
await Promise.all(
  Array.from({ length: Number(loops) }, async () => {
    const pool = new Pool(origin, { connections: 1, connect: { ca } });
    for (let sent = 0; sent < each; sent++) {
      const headers = { 'content-type': 'application/json', ...signatureHeaders(body, secret, Date.now()) };
      const answer = await pool.request({ method: 'POST', path: pathname, headers, body });
      if ((await answer.body.text()) !== 'Accepted') throw new Error('not accepted');
    }
    await pool.close();
  }),
);
const { user, system } = process.cpuUsage(cpu);
const counts: BareCounts = {
  cpuSeconds: (user + system) / 1e6,
};
process.stdout.write(`${JSON.stringify(counts)}\n`);
process.exit();

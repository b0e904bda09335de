/** The dispatcher's peer: an undici client that signs prepared bodies and posts them one after the other. */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { signatureHeaders } from '#signing/signing.ts';

/** Options, as JSON in the first argument. */
export type BareWebhooksOptions = {
  readonly url: string;
  readonly secret: string;
  readonly caFile: string;
  readonly bodyFile: string;
  /** Number of loops, and of the requests of each. */
  readonly loops: number;
  readonly requests: number;
};

/** The printed result. */
export type BareCounts = { readonly cpuSeconds: number };

const { url, secret, caFile, bodyFile, loops, requests }: BareWebhooksOptions = JSON.parse(
  process.argv[2] ?? '{}',
);
const body = readFileSync(bodyFile);
const ca = readFileSync(caFile, 'utf8');
const { origin, pathname } = new URL(url);
const cpu = process.cpuUsage();
await Promise.all(
  Array.from({ length: loops }, async () => {
    const pool = new Pool(origin, { connections: 1, connect: { ca } });
    for (let sent = 0; sent < requests; sent++) {
      const headers = { 'content-type': 'application/json', ...signatureHeaders(body, secret, Date.now()) };
      const answer = await pool.request({ method: 'POST', path: pathname, headers, body });
      if ((await answer.body.text()) !== 'Accepted') throw new Error('not accepted');
    }
    await pool.close();
  }),
);
const { user, system } = process.cpuUsage(cpu);
const counts: BareCounts = { cpuSeconds: (user + system) / 1e6 };
process.stdout.write(`${JSON.stringify(counts)}\n`);
process.exit();

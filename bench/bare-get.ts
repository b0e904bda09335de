/** The api's peer: a Fastify route that only sends a prepared buffer. */
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

const [port, file] = process.argv.slice(2);
if (port === undefined || file === undefined) throw new Error('usage: bare-get.ts PORT FILE');

const ready = readFileSync(file);
const app = fastify();
app.get('/ready', (_request, reply) => reply.type('application/json; charset=utf-8').send(ready));
await app.listen({ port: Number(port), host: '127.0.0.1' });

process.on('SIGTERM', () => process.exit());
// The bench holds the other end of standard input.
process.stdin.on('end', () => process.exit()).resume();

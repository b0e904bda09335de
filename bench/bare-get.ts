/** The api's peer: a Fastify route that only sends a prepared buffer. */
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

const { port, file }: { port: number; file: string } = JSON.parse(process.argv[2] ?? '{}');
const ready = readFileSync(file);
const app = fastify();
app.get('/ready', (_request, reply) => reply.type('application/json; charset=utf-8').send(ready));
await app.listen({ port, host: '127.0.0.1' });

process.on('SIGTERM', () => process.exit());
// The bench holds the other end of standard input.
process.stdin.on('end', () => process.exit()).resume();

/**
 * The minimum after match-state for a goal, without any work: a process that reads the floor's output and serves the
 * last message of each event by GET, on a stream, on a page that reads the stream, and by an https POST to a receiver.
 */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { Agent, request } from 'undici';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { TopicReader } from './topic-reader.ts';

/** Options, as JSON in the first argument. */
export type BareSurfacesOptions = {
  readonly brokers: readonly string[];
  readonly registryUrl: string;
  readonly prefix: string;
  readonly port: number;
  /** URL of the receiver, and its certificate authority. */
  readonly sinkUrl: string;
  readonly caFile: string;
};

const PAGE = `<!doctype html><title>bare</title><div id="board"></div><script>
const board = document.getElementById('board');
new EventSource('/stream').onmessage = ({ data }) => {
  const { event_id, message_id } = JSON.parse(data);
  let row = document.getElementById('match-' + event_id);
  if (row === null) {
    row = board.appendChild(document.createElement('div'));
    row.className = 'match';
    row.id = 'match-' + event_id;
    row.innerHTML = '<span class="goals home"></span>';
  }
  row.firstChild.textContent = message_id;
};
</script>`;

const options: BareSurfacesOptions = JSON.parse(process.argv[2] ?? '{}');
const { brokers, registryUrl, prefix, port, sinkUrl, caFile } = options;
const latest = new Map<string, string>();
const streams = new Set<ServerResponse>();
const dispatcher = new Agent({ connect: { ca: readFileSync(caFile) } });
const decoder = Registry.open({ url: registryUrl, prefix }).decoder('normalized-messages');

async function show(value: Buffer): Promise<void> {
  const { event_id, message_id } = await decoder.read(value);
  const shown = JSON.stringify({ event_id, message_id });
  latest.set(String(event_id), shown);
  for (const stream of streams) stream.write(`data: ${shown}\n\n`);
  const body = `[{"uuid":"${message_id}","data":${JSON.stringify(value.toString('latin1'))}}]`;
  void request(sinkUrl, { method: 'POST', body, dispatcher }).then((answer) => answer.body.dump());
}

const reader = new TopicReader({
  brokers,
  topic: topicName(prefix, 'match-state'),
  async onRecords(_, records) {
    for (const { value } of records) if (value !== null) await show(value);
  },
});
createServer(({ url = '' }, response) => {
  if (url === '/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    for (const shown of latest.values()) response.write(`data: ${shown}\n\n`);
    streams.add(response);
    response.on('close', () => streams.delete(response));
  } else if (url.startsWith('/events/')) response.end(latest.get(url.slice('/events/'.length)) ?? 'null');
  else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
}).listen(port, '127.0.0.1');

process.on('SIGTERM', () => void reader.close().finally(() => process.exit()));
// The bench holds the other end of standard input.
process.stdin.on('end', () => process.exit()).resume();

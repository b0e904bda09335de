/** `touchline position`: shows and sets the committed positions of a processor. */
import { listOffsets } from '#streams/client/platformatic/offsets.ts';
import { readPositions } from '#streams/runtime/positions.ts';
import { setPosition } from '#streams/runtime/set-position.ts';
import { PROCESSOR_NAMES, type ProcessorName, streamTopics } from '#topics/processors.ts';
import { type Command, parseArguments, UsageError } from '../command.ts';
import { findPlace, type Place } from '../place.ts';
import { quiet } from '../quiet.ts';

const HELP = `Usage: touchline position <processor> [<partition> <offset> [--accept-state]]

Shows the committed position of a processor in each partition of its input; with a partition and an offset, sets it. A later
position skips the records up to it for good; an earlier one has them processed again, which changes no match state. A
stopped partition resumes within half a minute, a running one with its next record.

  <processor>  ${PROCESSOR_NAMES.join(', ')}
  <offset>     an offset of the input, or start, or end
  --accept-state
               takes the changelogs as they are for the state, also where one was made again or lost records: without it
               the processor refuses these as before

The broker is that of KAFKA_BROKERS, else the one that touchline up or demo runs here.
`;

/** Shows and sets positions. */
export const position: Command = {
  name: 'position',
  help: HELP,
  async run(args) {
    const { processor, partition, to, acceptsState } = parse(args);
    const place = findPlace(process.env);
    const topics = streamTopics(place.TOPIC_PREFIX, processor);
    const brokers = place.KAFKA_BROKERS;
    if (to === undefined) {
      await show(place, topics);
      return 0;
    }
    const { before, next } = await setPosition(topics, { brokers, partition, to, acceptsState, log: quiet });
    process.stdout.write(
      `${topics.input}-${partition}: ${processor} resumes at ${next}, it was at ${before ?? 'no position'}\n`,
    );
    return 0;
  },
};

async function show(place: Place, topics: ReturnType<typeof streamTopics>): Promise<void> {
  const { application, input: topic } = topics;
  const at = { brokers: place.KAFKA_BROKERS, clientId: 'touchline-position', topic };
  const [positions, starts, ends] = await Promise.all([
    readPositions({ brokers: place.KAFKA_BROKERS, application, log: quiet }),
    listOffsets(at, 'earliest'),
    listOffsets(at, 'end'),
  ]);
  const rows = [['partition', 'position', 'start', 'end', 'behind']];
  for (const [partition, end] of [...ends].sort(([a], [b]) => a - b)) {
    const next = positions.get(partition);
    const start = starts.get(partition) ?? 0;
    rows.push([
      String(partition),
      next === undefined ? '-' : String(next),
      String(start),
      String(end),
      String(end - (next ?? start)),
    ]);
  }
  for (const row of rows) process.stdout.write(`${row.map((cell) => cell.padStart(10)).join('')}\n`);
}

type Arguments = {
  readonly processor: ProcessorName;
  readonly partition: number;
  readonly to: number | 'start' | 'end' | undefined;
  readonly acceptsState: boolean;
};

function parse(args: readonly string[]): Arguments {
  const options = { 'accept-state': { type: 'boolean' } } as const;
  const { values, positionals } = parseArguments(args, { options, allowPositionals: true });
  const acceptsState = values['accept-state'] === true;
  const [name, partition, offset, ...more] = positionals;
  const processor = PROCESSOR_NAMES.find((known) => known === name);
  if (processor === undefined) throw new UsageError(`name a processor: ${PROCESSOR_NAMES.join(' or ')}`);
  if (partition === undefined) {
    if (acceptsState) throw new UsageError('--accept-state goes with a partition and an offset');
    return { processor, partition: 0, to: undefined, acceptsState };
  }
  if (!/^\d{1,4}$/.test(partition)) throw new UsageError('the partition must be a number');
  if (offset === undefined || more.length > 0) throw new UsageError('name one partition and one offset');
  if (offset !== 'start' && offset !== 'end' && !/^\d{1,15}$/.test(offset))
    throw new UsageError('the offset must be a number, start or end');
  return {
    processor,
    partition: Number(partition),
    to: /^\d/.test(offset) ? Number(offset) : (offset as 'start' | 'end'),
    acceptsState,
  };
}

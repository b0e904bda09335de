/** Finds another platform of this machine on the same topics: the processes of both have the same names. */
import { type Brokers, shownBrokers } from '#security/brokers.ts';
import { instanceId } from '#streams/leadership.ts';
import { poll } from '#timing/poll.ts';
import { memberNames } from '#topics/admin.ts';
import { applicationOf } from '#topics/processors.ts';
import { CommandError } from './command.ts';

/** The service that is asked for: every platform runs it. */
const ASKED = 'match-processor';
/** A process that was killed stays in its group for a session, 6 s by default. */
const KILLED_MS = 10_000;

/** Throws `CommandError` when a process with the name of ours is a member of the group, and stays one. */
export async function requireSinglePlatform(brokers: Brokers, prefix: string): Promise<void> {
  const name = instanceId(ASKED);
  const isAlone = await poll(
    async () => !(await memberNames(brokers, applicationOf(prefix, ASKED))).includes(name),
    { timeoutMs: KILLED_MS },
  );
  if (isAlone) return;
  throw new CommandError(
    `${ASKED} of this machine already runs on the topics ${prefix}* of ${shownBrokers(brokers)}, and two processes of one name end each ` +
      'other for ever: stop the other touchline up, or set TOPIC_PREFIX',
  );
}

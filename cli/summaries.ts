/** Summarises the values of topics in one line for people. */
import { absenceText } from '#domain/absence.ts';
import { dateOf } from '#json/values.ts';
import type { DeadLetter, Guard, Incident, MatchState, Score, TopicValues } from '#records/types.ts';
import { alertText } from '#story/alerts.ts';
import type { TopicName } from '#topics/topics.ts';
import { isOver } from '#trading/trading.ts';

type Summaries = { readonly [T in TopicName]?: (value: TopicValues[T]) => (string | null)[] };

const SUMMARIES: Summaries = {
  'normalized-messages': ({ type, message_id, incident, snapshot, absence, ut }) => [
    type,
    message_id,
    incident?.incident.id ?? null,
    incident === null ? null : `${incident.deleted ? 'delete of ' : ''}${incidentText(incident.incident)}`,
    snapshot === null ? null : `${snapshot.length} incidents`,
    absence && absenceText({ ut, ...absence }),
    `at ${timeText(ut)}`,
  ],
  'match-incidents': ({ id, version, removed, incident }) => [
    `v${version}`,
    id,
    incident === null ? 'deleted before it was sent' : incidentText(incident),
    removed ? 'REMOVED' : null,
  ],
  'match-state': (state) => [
    `v${state.version}`,
    state.name ?? sidesText(state),
    scoreText(state.score),
    state.firm !== null && scoreText(state.firm) !== scoreText(state.score)
      ? `firm ${scoreText(state.firm)}`
      : null,
    state.shoot_out === null ? null : `shoot-out ${scoreText(state.shoot_out)}`,
    wordsOf(state.status_type, state.status_id === null ? null : `(${state.status_id})`),
    state.clock === null || state.clock.time === null ? null : clockText(state.clock.time),
    state.agreement === 'differs' ? `reported ${scoreText(state.reported)}` : null,
    isOver(state.status_type) ? null : guardText(state.guard),
  ],
  'match-transitions': ({ id, kind, incident_id, score, value, match, fields, goals }) => [
    id,
    kind,
    incident_id,
    score === null ? null : `${scoreText(score.before)} -> ${scoreText(score.after)}`,
    value === null ? null : `${value.before ?? 'unknown'} -> ${value.after ?? 'unknown'}`,
    kind === 'guard_changed' ? guardText(match.guard) : null,
    fields.join(', '),
    goals.map((goal) => goal.id).join(', '),
  ],
  alerts: (alert) => [alert.id, alertText(alert)],
};

/** Returns the summary of a value: one line without a line end. A topic without one of its own shows its fields by name. */
export function summaryOf<T extends TopicName>(topic: T, value: TopicValues[T]): string {
  return (SUMMARIES[topic] ?? fieldsOf)(value)
    .filter((part) => part !== null && part !== '')
    .join('  ');
}

/** Smallest number that is a time in Unix milliseconds, and no id. */
const FIRST_MS = 1e12;

/** Returns the texts, numbers and lists of texts of a record by their names, and `name` for true; nothing of a hash. */
function fieldsOf(value: object): string[] {
  return Object.entries(value).flatMap(([name, field]) => {
    if (field instanceof Uint8Array) return `${name} of ${field.length} bytes`;
    if (field === true) return name;
    if (typeof field === 'number') return `${name} ${field < FIRST_MS ? field : timeText(field / 1_000)}`;
    if (Array.isArray(field) && field.every((one) => typeof one === 'string'))
      return `${name} ${field.join(' ')}`;
    return typeof field === 'string' && !name.endsWith('_hash') ? `${name} ${field}` : [];
  });
}

/** Returns where the bytes of a dead letter were read. */
export function originText({ topic, partition, offset }: DeadLetter): string {
  return topic === null ? 'over HTTP' : `${topic}/${partition}/${offset}`;
}

function incidentText(incident: Incident): string {
  const { incident_id, incident_name, participant_name, event_time, confirmation } = incident;
  const name = `${incident_name ?? 'incident'} (${incident_id})`;
  return wordsOf(name, event_time === null ? null : clockText(event_time), participant_name, confirmation);
}

export function sidesText({ home, away }: MatchState): string | null {
  return home?.name && away?.name ? `${home.name} - ${away.name}` : null;
}

function scoreText(score: Score | null): string {
  return score === null ? 'unknown' : `${score.home}:${score.away}`;
}

/** Describes a recorded guard. It is no permission to trade, which depends on the current feed health too. */
function guardText({ safe, reasons }: Guard): string {
  return safe ? 'guard open' : `guard closed: ${reasons.join(', ')}`;
}

function clockText(seconds: number): string {
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Returns Unix seconds as an ISO time, or as the number when no date has that value. */
function timeText(seconds: number): string {
  const time = dateOf(seconds * 1_000)?.toISOString();
  return time?.replace('.000Z', 'Z') ?? String(seconds);
}

function wordsOf(...words: readonly (string | null)[]): string {
  return words.filter((word) => word !== null).join(' ');
}

import { INCIDENT } from '#soccer/soccer.ts';
import type { TimelineEntry } from './incidents.ts';

/** Joins the incidents of a substitution (spec, 450 and 452) at the later one: those of one team and time, in the order of ids. */
export function pairSubstitutions(timeline: readonly TimelineEntry[]): TimelineEntry[] {
  const unpaired = new Map<string, TimelineEntry[]>();
  const partners = new Map<string, TimelineEntry>();
  const dropped = new Set<string>();
  for (const entry of timeline) {
    const { incident_id: type } = entry;
    const isSubstitution = type === INCIDENT.substitutionIn || type === INCIDENT.substitutionOut;
    if (!isSubstitution || entry.void !== null || entry.time === null) continue;
    const key = `${entry.participant_id} ${entry.time}`;
    const waiting = unpaired.get(key) ?? [];
    const at = waiting.findIndex(({ incident_id }) => incident_id !== entry.incident_id);
    const [partner] = at === -1 ? [] : waiting.splice(at, 1);
    if (partner === undefined) {
      unpaired.set(key, [...waiting, entry]);
      continue;
    }
    partners.set(entry.id, partner);
    dropped.add(partner.id);
  }
  return timeline.flatMap((entry) => {
    if (dropped.has(entry.id)) return [];
    const partner = partners.get(entry.id);
    return partner === undefined ? [entry] : [paired(entry, partner)];
  });
}

function paired(entry: TimelineEntry, partner: TimelineEntry): TimelineEntry {
  const [comes, leaves] = entry.incident_id === INCIDENT.substitutionIn ? [entry, partner] : [partner, entry];
  return {
    ...entry,
    name: 'Substitution',
    player: comes.player,
    replaces: leaves.player ?? 'unknown player',
  };
}

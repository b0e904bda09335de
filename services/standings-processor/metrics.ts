import { Gauge, type Registry } from 'prom-client';

/** The gauge of flagged matches, by partition and reason. */
export function flaggedMatches(registry: Registry): Gauge<'partition' | 'reason'> {
  return new Gauge({
    name: 'touchline_standings_flagged_matches',
    help: 'Matches of which something could not be counted in tables, by reason.',
    labelNames: ['partition', 'reason'],
    registers: [registry],
  });
}

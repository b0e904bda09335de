/** The parts of a correction that people read; unknown ones are '', null or undefined. */
export type CorrectionWords = {
  readonly participant_name?: string | null | undefined;
  readonly value?: string | number | null | undefined;
  readonly reason?: string | null | undefined;
};

/** Says a correction of a table, such as `Everton: -6 points (Financial issues)`. */
export function correctionText({ participant_name, value, reason }: CorrectionWords): string {
  return `${participant_name ? `${participant_name}: ` : ''}${value ?? '?'} points${reason ? ` (${reason})` : ''}`;
}

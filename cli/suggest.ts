/** Returns the known word that a mistyped word most likely means; null when none is close. */
export function suggest(word: string, known: readonly string[]): string | null {
  const completed = known.filter((one) => word.length > 1 && one.startsWith(word));
  if (completed.length === 1) return completed[0] ?? null;
  // At most a third of the letters may differ: beyond that, a guess confuses.
  const maxEdits = Math.max(1, Math.floor(word.length / 3));
  const near = known
    .map((one) => ({ one, edits: editDistance(word, one) }))
    .filter(({ edits }) => edits <= maxEdits)
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.one ?? null;
}

/** Number of letters to insert, delete, replace or swap with the next one (optimal string alignment). */
function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const cost = (back: number, left: number): number => rows[row - back]?.[column - left] ?? 0;
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      line.push(
        Math.min(
          cost(1, 0) + 1,
          (line[column - 1] ?? 0) + 1,
          cost(1, 1) + (isSame ? 0 : 1),
          row > 1 && column > 1 && isSwapped ? cost(2, 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(line);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}

/** Returns `; did you mean <word>?` when a known word is close, else an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = suggest(word, known);
  return meant === null ? '' : `; did you mean ${meant}?`;
}

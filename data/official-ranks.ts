/** The groups of the World Cup 2018 as they officially ended, the first team first, by the names of the source. */
export const WORLD_CUP_2018_RANKS: Readonly<Record<string, readonly string[]>> = {
  'Group A': ['Uruguay', 'Russia', 'Saudi Arabia', 'Egypt'],
  'Group B': ['Spain', 'Portugal', 'Iran', 'Morocco'],
  'Group C': ['France', 'Denmark', 'Peru', 'Australia'],
  'Group D': ['Croatia', 'Argentina', 'Nigeria', 'Iceland'],
  'Group E': ['Brazil', 'Switzerland', 'Serbia', 'Costa Rica'],
  'Group F': ['Sweden', 'Mexico', 'Korea Republic', 'Germany'],
  'Group G': ['Belgium', 'England', 'Tunisia', 'Panama'],
  // Japan before Senegal by fair play: four yellow cards and six, equal in points, goals and against each other.
  'Group H': ['Colombia', 'Japan', 'Senegal', 'Poland'],
};

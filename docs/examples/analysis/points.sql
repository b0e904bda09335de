-- The points of every team, of tables.parquet: touchline export tables --out tables.parquet; type 2 is the league table
SELECT season_id, group_id, rank, participant_name, points
FROM read_parquet('tables.parquet')
WHERE type_id = 2
ORDER BY season_id, group_id, rank;

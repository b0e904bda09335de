-- The points of every team, of tables.parquet: touchline export tables --out tables.parquet; type 2 is the league table.
-- A stage of knock-out has a table too, without groups.
SELECT season_id, group_id, rank, participant_name, points
FROM read_parquet('tables.parquet')
WHERE type_id = 2 AND (object_type = 'season' OR group_id IS NOT NULL)
ORDER BY season_id, group_id, rank;

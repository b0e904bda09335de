-- Goals that counted, kicks of shoot-outs and goals taken back, of goals.parquet: touchline export key-incidents --out goals.parquet
SELECT
  season_id,
  count(counts_for_id) AS goals,
  count(*) FILTER (stands AND in_shoot_out) AS kicks_scored,
  count(*) FILTER (NOT stands) AS taken_back
FROM read_parquet('goals.parquet')
WHERE incident_type IN (413, 421, 423)
GROUP BY season_id
ORDER BY season_id;

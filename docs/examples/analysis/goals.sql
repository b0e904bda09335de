-- Goals that counted, kicks of shoot-outs and goals taken back, of incidents.parquet: touchline export incidents --out incidents.parquet
SELECT
  season_id,
  sum(home_delta + away_delta) AS goals,
  count(*) FILTER (stands AND in_shoot_out) AS kicks_scored,
  count(*) FILTER (NOT stands) AS taken_back
FROM read_parquet('incidents.parquet')
WHERE incident_incident_id IN (413, 421, 423)
GROUP BY season_id
ORDER BY season_id;

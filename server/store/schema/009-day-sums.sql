-- The days of a site, summed once: for each value of a dimension (label), its numbers on that day. A question about many days adds up
-- these rows instead of reading every event again. Visitor ids and visits end with the day, so all of these numbers add up over days.
-- `summing` names the run that wrote a row: one whole day of a site.
CREATE TABLE IF NOT EXISTS day_sums (
  site_id LowCardinality(String),
  -- '' for the totals of the day
  dimension LowCardinality(String),
  day Date CODEC(Delta, ZSTD(1)),
  summing LowCardinality(String) CODEC(ZSTD(1)),
  label String CODEC(ZSTD(1)),
  unique_visitors UInt64 CODEC(T64, ZSTD(1)),
  visits UInt64 CODEC(T64, ZSTD(1)),
  pageviews UInt64 CODEC(T64, ZSTD(1)),
  events UInt64 CODEC(T64, ZSTD(1)),
  bounces Int64 CODEC(T64, ZSTD(1)),
  visit_ms UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (site_id, dimension, day, label)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
-- The days that are summed, each with a fingerprint of the rows that were: their number, the sum of their ids, and how many of them count no
-- longer as events. A day is read from its sums only while its rows still have this fingerprint, so a late event or a deletion can never
-- make an answer wrong: the day is read from its events again until it is summed again.
CREATE TABLE IF NOT EXISTS summed_days (
  site_id LowCardinality(String),
  day Date,
  summing String CODEC(ZSTD(1)),
  row_count UInt64,
  row_ids UInt64,
  replaced UInt64,
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (site_id, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
-- The fingerprint is kept with the visitors of each day, so that comparing it reads no rows.
ALTER TABLE events DROP PROJECTION IF EXISTS visitors;
ALTER TABLE events ADD PROJECTION IF NOT EXISTS visitors
  (SELECT site_id, toDate(time), day, uniqExactIf(visitor_id, visitor_id != 0), count(), sum(event_id), max(time), countIf(currency != '')
  GROUP BY site_id, toDate(time), day);
ALTER TABLE events MATERIALIZE PROJECTION visitors;

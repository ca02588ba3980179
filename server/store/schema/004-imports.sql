-- What other products counted: the numbers of each day, and of each value of a dimension on it, as in day_sums. `summing` is the id of the import.
CREATE TABLE IF NOT EXISTS imported_sums (
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
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 10000;

-- The days that an import brings, once all of its rows are stored: rows of other days are never read. A day with events of its own counts
-- these, unless the import `replaces` them. Of several imports of a day, the one with the highest version counts.
CREATE TABLE IF NOT EXISTS imported_days (
  site_id LowCardinality(String),
  day Date,
  summing LowCardinality(String),
  replaces UInt8,
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (site_id, day, summing)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

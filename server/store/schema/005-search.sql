-- Search terms of Google Search Console: one row for each day, term, page, country and device. The row without a term holds what Google
-- withholds for its page, country and device, so any sum over rows is the whole. `reading` names the run that wrote a row, and `connection`
-- the property that it read.
CREATE TABLE IF NOT EXISTS search_rows (
  site_id LowCardinality(String),
  connection LowCardinality(String),
  -- a day of Google's, which begins at midnight in California
  day Date CODEC(Delta, ZSTD(1)),
  reading String CODEC(ZSTD(1)),
  term String CODEC(ZSTD(1)),
  page String CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(1)),
  country LowCardinality(String) CODEC(ZSTD(1)),
  device LowCardinality(String) CODEC(ZSTD(1)),
  clicks UInt64 CODEC(T64, ZSTD(1)),
  impressions UInt64 CODEC(T64, ZSTD(1)),
  -- the sum of the positions of all impressions
  positions UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (site_id, connection, day, term, page)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- The reading of each day that counts: the one with the highest version. Rows of other readings are never read.
CREATE TABLE IF NOT EXISTS search_days (
  site_id LowCardinality(String),
  connection LowCardinality(String),
  day Date,
  reading String CODEC(ZSTD(1)),
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(day)
ORDER BY (site_id, connection, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

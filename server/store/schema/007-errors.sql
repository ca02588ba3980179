-- Errors in the browsers of visitors: a row for each shape of error on a page view, whenever its browser tells. It has the columns of its visit
-- that filters ask for, as vitals have.
CREATE TABLE IF NOT EXISTS errors (
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  day Date CODEC(ZSTD(1)),
  visitor_id UInt64 CODEC(ZSTD(1)),
  visit_id UInt64 CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(1)),
  page LowCardinality(String) CODEC(ZSTD(1)),
  entry_page String CODEC(ZSTD(1)),
  channel LowCardinality(String) CODEC(ZSTD(1)),
  source LowCardinality(String) CODEC(ZSTD(1)),
  referrer String CODEC(ZSTD(1)),
  utm_source LowCardinality(String) CODEC(ZSTD(1)),
  utm_medium LowCardinality(String) CODEC(ZSTD(1)),
  utm_campaign LowCardinality(String) CODEC(ZSTD(1)),
  utm_content LowCardinality(String) CODEC(ZSTD(1)),
  utm_term LowCardinality(String) CODEC(ZSTD(1)),
  country LowCardinality(String) CODEC(ZSTD(1)),
  region LowCardinality(String) CODEC(ZSTD(1)),
  city LowCardinality(String) CODEC(ZSTD(1)),
  browser LowCardinality(String) CODEC(ZSTD(1)),
  browser_version LowCardinality(String) CODEC(ZSTD(1)),
  os LowCardinality(String) CODEC(ZSTD(1)),
  os_version LowCardinality(String) CODEC(ZSTD(1)),
  device LowCardinality(String) CODEC(ZSTD(1)),
  language LowCardinality(String) CODEC(ZSTD(1)),
  screen LowCardinality(String) CODEC(ZSTD(1)),
  error_shape LowCardinality(String) CODEC(ZSTD(1)),
  error_kind LowCardinality(String) DEFAULT 'error' CODEC(ZSTD(1)),
  error_message LowCardinality(String) CODEC(ZSTD(1)),
  error_file LowCardinality(String) CODEC(ZSTD(1)),
  error_line Int32 CODEC(ZSTD(1)),
  occurrences Int32 CODEC(ZSTD(1)),
  -- when a shape was first seen, of all time
  PROJECTION firsts (SELECT site_id, error_shape, min(time) GROUP BY site_id, error_shape)
)
-- `rebuild`: deleted rows leave the projection, too
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, toDate(time), error_shape, visitor_id, time)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1,
  lightweight_mutation_projection_mode = 'rebuild';

-- Those of purged visits: see 002-purged.sql.
CREATE TABLE IF NOT EXISTS purged_errors (
  site_id LowCardinality(String),
  purge LowCardinality(String) CODEC(ZSTD(1)),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  day Date CODEC(ZSTD(1)),
  visitor_id UInt64 CODEC(ZSTD(1)),
  visit_id UInt64 CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(1)),
  page LowCardinality(String) CODEC(ZSTD(1)),
  entry_page String CODEC(ZSTD(1)),
  channel LowCardinality(String) CODEC(ZSTD(1)),
  source LowCardinality(String) CODEC(ZSTD(1)),
  referrer String CODEC(ZSTD(1)),
  utm_source LowCardinality(String) CODEC(ZSTD(1)),
  utm_medium LowCardinality(String) CODEC(ZSTD(1)),
  utm_campaign LowCardinality(String) CODEC(ZSTD(1)),
  utm_content LowCardinality(String) CODEC(ZSTD(1)),
  utm_term LowCardinality(String) CODEC(ZSTD(1)),
  country LowCardinality(String) CODEC(ZSTD(1)),
  region LowCardinality(String) CODEC(ZSTD(1)),
  city LowCardinality(String) CODEC(ZSTD(1)),
  browser LowCardinality(String) CODEC(ZSTD(1)),
  browser_version LowCardinality(String) CODEC(ZSTD(1)),
  os LowCardinality(String) CODEC(ZSTD(1)),
  os_version LowCardinality(String) CODEC(ZSTD(1)),
  device LowCardinality(String) CODEC(ZSTD(1)),
  language LowCardinality(String) CODEC(ZSTD(1)),
  screen LowCardinality(String) CODEC(ZSTD(1)),
  error_shape LowCardinality(String) CODEC(ZSTD(1)),
  error_kind LowCardinality(String) DEFAULT 'error' CODEC(ZSTD(1)),
  error_message LowCardinality(String) CODEC(ZSTD(1)),
  error_file LowCardinality(String) CODEC(ZSTD(1)),
  error_line Int32 CODEC(ZSTD(1)),
  occurrences Int32 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, purge, time)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Purged rows: what a filter showed when its purge was asked for, with the columns of the tables that it was taken out of. No question reads
-- these tables. They are emptied when the purge is taken back, or can no longer be.
CREATE TABLE IF NOT EXISTS purged_events (
  site_id LowCardinality(String),
  purge LowCardinality(String) CODEC(ZSTD(1)),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  name LowCardinality(String) CODEC(ZSTD(1)),
  visitor_id UInt64 CODEC(ZSTD(1)),
  visit_id UInt64 CODEC(ZSTD(1)),
  visit_started UInt8 CODEC(ZSTD(1)),
  bounces Int8 CODEC(ZSTD(1)),
  visit_ms UInt32 CODEC(ZSTD(1)),
  page LowCardinality(String) CODEC(ZSTD(1)),
  entry_page String CODEC(ZSTD(1)),
  import_id LowCardinality(String) CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(1)),
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
  language LowCardinality(String) CODEC(ZSTD(1)),
  browser LowCardinality(String) CODEC(ZSTD(1)),
  browser_version LowCardinality(String) CODEC(ZSTD(1)),
  os LowCardinality(String) CODEC(ZSTD(1)),
  os_version LowCardinality(String) CODEC(ZSTD(1)),
  device LowCardinality(String) CODEC(ZSTD(1)),
  screen LowCardinality(String) CODEC(ZSTD(1)),
  props Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  amount Decimal(18, 4) CODEC(ZSTD(1)),
  currency LowCardinality(String) CODEC(ZSTD(1)),
  interactive UInt8 CODEC(ZSTD(1)),
  engaged_ms UInt32 CODEC(ZSTD(1)),
  scroll UInt8 CODEC(ZSTD(1)),
  confirmed UInt8 CODEC(ZSTD(1)),
  day Date CODEC(ZSTD(1)),
  order_id UInt64 CODEC(ZSTD(1)),
  order_event UInt64 CODEC(ZSTD(1)),
  scroll_before UInt8 CODEC(ZSTD(1)),
  engaged_before_ms UInt32 CODEC(ZSTD(1)),
  out_of_order UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, purge, time)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS purged_ai_visits (
  site_id LowCardinality(String),
  purge LowCardinality(String) CODEC(ZSTD(1)),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  ai_provider LowCardinality(String) CODEC(ZSTD(1)),
  ai_agent LowCardinality(String) CODEC(ZSTD(1)),
  ai_purpose LowCardinality(String) CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(1)),
  ai_page String CODEC(ZSTD(1)),
  status UInt16 CODEC(ZSTD(1)),
  import_id LowCardinality(String) CODEC(ZSTD(1)),
  day Date CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, purge, time)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

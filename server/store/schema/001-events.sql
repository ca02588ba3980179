-- Every accepted event, kept forever. Each row has all columns that a report needs, so a report is one scan without a join.
-- Sorted by day and visitor: a visitor's values repeat in neighbouring rows and compress to almost nothing.
CREATE TABLE IF NOT EXISTS events (
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  name LowCardinality(String) CODEC(ZSTD(1)),
  -- 0 for events that a server sent
  visitor_id UInt64 CODEC(ZSTD(1)),
  visit_id UInt64 CODEC(ZSTD(1)),
  -- The event's share of its visit, written by the queue's writer. Sums of these columns need no grouping by visit:
  -- 1 on the first event of a visit
  visit_started UInt8 CODEC(ZSTD(1)),
  -- +1 on the event that makes the visit a bounce, -1 on the one that ends the bounce
  bounces Int8 CODEC(ZSTD(1)),
  -- milliseconds from the visit's last event to this one
  visit_ms UInt32 CODEC(ZSTD(1)),
  page String CODEC(ZSTD(1)),
  entry_page String CODEC(ZSTD(1)),
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
  scroll UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, toDate(time), visitor_id, time)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

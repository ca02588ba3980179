-- Requests by agents of AI providers, in a table of their own, so that no report can mix them with people's events.
CREATE TABLE IF NOT EXISTS ai_visits (
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  ai_provider LowCardinality(String) CODEC(ZSTD(1)),
  ai_agent LowCardinality(String) CODEC(ZSTD(1)),
  ai_purpose LowCardinality(String) CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(1)),
  ai_page String CODEC(ZSTD(1)),
  status UInt16 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, toDate(time), ai_provider, time)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- The measured page views anew, in 62 % of the bytes: sorted by visitor, as events are, so that the values of a visit repeat in neighbouring rows,
-- and five values in 5 bytes in place of 8. A table is made anew for another order. Each step can run again: the rows
-- are always whole in one of the two tables, and only those are copied that the other lacks.
CREATE TABLE IF NOT EXISTS vitals (
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  day Date CODEC(ZSTD(6)),
  visitor_id UInt64 CODEC(ZSTD(1)),
  visit_id UInt64 CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(6)),
  page LowCardinality(String) CODEC(ZSTD(6)),
  entry_page String CODEC(ZSTD(6)),
  channel LowCardinality(String) CODEC(ZSTD(6)),
  source LowCardinality(String) CODEC(ZSTD(6)),
  referrer String CODEC(ZSTD(6)),
  utm_source LowCardinality(String) CODEC(ZSTD(6)),
  utm_medium LowCardinality(String) CODEC(ZSTD(6)),
  utm_campaign LowCardinality(String) CODEC(ZSTD(6)),
  utm_content LowCardinality(String) CODEC(ZSTD(6)),
  utm_term LowCardinality(String) CODEC(ZSTD(6)),
  country LowCardinality(String) CODEC(ZSTD(6)),
  region LowCardinality(String) CODEC(ZSTD(6)),
  city LowCardinality(String) CODEC(ZSTD(6)),
  browser LowCardinality(String) CODEC(ZSTD(6)),
  browser_version LowCardinality(String) CODEC(ZSTD(6)),
  os LowCardinality(String) CODEC(ZSTD(6)),
  os_version LowCardinality(String) CODEC(ZSTD(6)),
  device LowCardinality(String) CODEC(ZSTD(6)),
  language LowCardinality(String) CODEC(ZSTD(6)),
  screen LowCardinality(String) CODEC(ZSTD(6)),
  lcp_element LowCardinality(String) CODEC(ZSTD(6)),
  inp_element LowCardinality(String) CODEC(ZSTD(6)),
  navigation LowCardinality(String) CODEC(ZSTD(6)),
  connection LowCardinality(String) CODEC(ZSTD(6)),
  -- rounded values, of which there are some hundred: see `stepped` in vocabulary/numbers/vitals.ts
  lcp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  inp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  cls LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  fcp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  ttfb LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  -- the sealed export that brought the row
  import_id LowCardinality(String) CODEC(ZSTD(1)),
  -- as in 006-vitals.sql
  PROJECTION figures
    (SELECT site_id, toDate(time), day, count(),
      quantileExactWeighted(0.75)(lcp, isNotNull(lcp)), count(lcp), countIf(lcp <= toFloat32(2500)), countIf(lcp > toFloat32(4000)),
      quantileExactWeighted(0.75)(inp, isNotNull(inp)), count(inp), countIf(inp <= toFloat32(200)), countIf(inp > toFloat32(500)),
      quantileExactWeighted(0.75)(cls, isNotNull(cls)), count(cls), countIf(cls <= toFloat32(0.1)), countIf(cls > toFloat32(0.25)),
      quantileExactWeighted(0.75)(fcp, isNotNull(fcp)), count(fcp), countIf(fcp <= toFloat32(1800)), countIf(fcp > toFloat32(3000)),
      quantileExactWeighted(0.75)(ttfb, isNotNull(ttfb)), count(ttfb), countIf(ttfb <= toFloat32(800)), countIf(ttfb > toFloat32(1800))
    GROUP BY site_id, toDate(time), day)
)
-- `rebuild`: deleted rows leave the projection, too
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, toDate(time), visitor_id, time)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1,
  lightweight_mutation_projection_mode = 'rebuild', allow_suspicious_low_cardinality_types = 1;

ALTER TABLE vitals ADD COLUMN IF NOT EXISTS import_id LowCardinality(String) CODEC(ZSTD(1));

CREATE TABLE IF NOT EXISTS vitals_moved (
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  day Date CODEC(ZSTD(6)),
  visitor_id UInt64 CODEC(ZSTD(1)),
  visit_id UInt64 CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(6)),
  page LowCardinality(String) CODEC(ZSTD(6)),
  entry_page String CODEC(ZSTD(6)),
  channel LowCardinality(String) CODEC(ZSTD(6)),
  source LowCardinality(String) CODEC(ZSTD(6)),
  referrer String CODEC(ZSTD(6)),
  utm_source LowCardinality(String) CODEC(ZSTD(6)),
  utm_medium LowCardinality(String) CODEC(ZSTD(6)),
  utm_campaign LowCardinality(String) CODEC(ZSTD(6)),
  utm_content LowCardinality(String) CODEC(ZSTD(6)),
  utm_term LowCardinality(String) CODEC(ZSTD(6)),
  country LowCardinality(String) CODEC(ZSTD(6)),
  region LowCardinality(String) CODEC(ZSTD(6)),
  city LowCardinality(String) CODEC(ZSTD(6)),
  browser LowCardinality(String) CODEC(ZSTD(6)),
  browser_version LowCardinality(String) CODEC(ZSTD(6)),
  os LowCardinality(String) CODEC(ZSTD(6)),
  os_version LowCardinality(String) CODEC(ZSTD(6)),
  device LowCardinality(String) CODEC(ZSTD(6)),
  language LowCardinality(String) CODEC(ZSTD(6)),
  screen LowCardinality(String) CODEC(ZSTD(6)),
  lcp_element LowCardinality(String) CODEC(ZSTD(6)),
  inp_element LowCardinality(String) CODEC(ZSTD(6)),
  navigation LowCardinality(String) CODEC(ZSTD(6)),
  connection LowCardinality(String) CODEC(ZSTD(6)),
  lcp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  inp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  cls LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  fcp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  ttfb LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  import_id LowCardinality(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, toDate(time), visitor_id, time)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1,
  lightweight_mutation_projection_mode = 'rebuild', allow_suspicious_low_cardinality_types = 1;

INSERT INTO vitals_moved SELECT * FROM vitals
  WHERE event_id NOT IN (SELECT event_id FROM vitals_moved) SETTINGS max_partitions_per_insert_block = 0;

DROP TABLE IF EXISTS vitals SYNC;

CREATE TABLE IF NOT EXISTS vitals (
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  day Date CODEC(ZSTD(6)),
  visitor_id UInt64 CODEC(ZSTD(1)),
  visit_id UInt64 CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(6)),
  page LowCardinality(String) CODEC(ZSTD(6)),
  entry_page String CODEC(ZSTD(6)),
  channel LowCardinality(String) CODEC(ZSTD(6)),
  source LowCardinality(String) CODEC(ZSTD(6)),
  referrer String CODEC(ZSTD(6)),
  utm_source LowCardinality(String) CODEC(ZSTD(6)),
  utm_medium LowCardinality(String) CODEC(ZSTD(6)),
  utm_campaign LowCardinality(String) CODEC(ZSTD(6)),
  utm_content LowCardinality(String) CODEC(ZSTD(6)),
  utm_term LowCardinality(String) CODEC(ZSTD(6)),
  country LowCardinality(String) CODEC(ZSTD(6)),
  region LowCardinality(String) CODEC(ZSTD(6)),
  city LowCardinality(String) CODEC(ZSTD(6)),
  browser LowCardinality(String) CODEC(ZSTD(6)),
  browser_version LowCardinality(String) CODEC(ZSTD(6)),
  os LowCardinality(String) CODEC(ZSTD(6)),
  os_version LowCardinality(String) CODEC(ZSTD(6)),
  device LowCardinality(String) CODEC(ZSTD(6)),
  language LowCardinality(String) CODEC(ZSTD(6)),
  screen LowCardinality(String) CODEC(ZSTD(6)),
  lcp_element LowCardinality(String) CODEC(ZSTD(6)),
  inp_element LowCardinality(String) CODEC(ZSTD(6)),
  navigation LowCardinality(String) CODEC(ZSTD(6)),
  connection LowCardinality(String) CODEC(ZSTD(6)),
  lcp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  inp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  cls LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  fcp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  ttfb LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  import_id LowCardinality(String) CODEC(ZSTD(1)),
  PROJECTION figures
    (SELECT site_id, toDate(time), day, count(),
      quantileExactWeighted(0.75)(lcp, isNotNull(lcp)), count(lcp), countIf(lcp <= toFloat32(2500)), countIf(lcp > toFloat32(4000)),
      quantileExactWeighted(0.75)(inp, isNotNull(inp)), count(inp), countIf(inp <= toFloat32(200)), countIf(inp > toFloat32(500)),
      quantileExactWeighted(0.75)(cls, isNotNull(cls)), count(cls), countIf(cls <= toFloat32(0.1)), countIf(cls > toFloat32(0.25)),
      quantileExactWeighted(0.75)(fcp, isNotNull(fcp)), count(fcp), countIf(fcp <= toFloat32(1800)), countIf(fcp > toFloat32(3000)),
      quantileExactWeighted(0.75)(ttfb, isNotNull(ttfb)), count(ttfb), countIf(ttfb <= toFloat32(800)), countIf(ttfb > toFloat32(1800))
    GROUP BY site_id, toDate(time), day)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, toDate(time), visitor_id, time)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1,
  lightweight_mutation_projection_mode = 'rebuild', allow_suspicious_low_cardinality_types = 1;

INSERT INTO vitals SELECT * FROM vitals_moved
  WHERE event_id NOT IN (SELECT event_id FROM vitals) SETTINGS max_partitions_per_insert_block = 0;

DROP TABLE IF EXISTS vitals_moved SYNC;

-- What is purged has the columns of its table.
ALTER TABLE purged_vitals ADD COLUMN IF NOT EXISTS import_id LowCardinality(String) CODEC(ZSTD(1));

ALTER TABLE purged_vitals MODIFY COLUMN lcp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  MODIFY COLUMN inp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  MODIFY COLUMN cls LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  MODIFY COLUMN fcp LowCardinality(Nullable(Float32)) CODEC(ZSTD(3)),
  MODIFY COLUMN ttfb LowCardinality(Nullable(Float32)) CODEC(ZSTD(3))
  SETTINGS allow_suspicious_low_cardinality_types = 1;

-- The cell keys that decide how numbers are changed for viewers: see server/stats/disclosure/cell-key.ts.
ALTER TABLE day_sums ADD COLUMN IF NOT EXISTS visitor_key UInt64 CODEC(ZSTD(1));
ALTER TABLE day_goals ADD COLUMN IF NOT EXISTS converted_key UInt64 CODEC(ZSTD(1));
-- 1 if the visitor has no other row on this day: most are counted without being told apart.
ALTER TABLE day_visits ADD COLUMN IF NOT EXISTS is_single UInt8 CODEC(ZSTD(1)) AFTER visit;
-- Earlier rows lack them, and number visitors without their keys: days are summed again.
TRUNCATE TABLE summed_days;
TRUNCATE TABLE day_sums;

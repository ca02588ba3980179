-- 1 if a server of the site reported the event, 0 if a browser did: anybody can make a browser send anything. In rows from before this
-- column, events without a visitor came from a server.
ALTER TABLE events ADD COLUMN IF NOT EXISTS confirmed UInt8 DEFAULT visitor_id = 0 CODEC(ZSTD(1));

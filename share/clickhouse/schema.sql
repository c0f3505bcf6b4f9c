-- Tables for `perf push --clickhouse`. On one node:
--	clickhouse-client --multiquery <schema.sql
-- Several nodes: nodes.sql. Documentation/howto-fleet.md goes through both.
--
-- A recording is one slice. Its rows have the day of its first sample, so that dropping a day drops whole slices.
-- A slice may be sent several times, after faults: each attempt has a number of its own. Queries read
-- samples of one attempt of each slice in slices, which gets its row last.
CREATE DATABASE IF NOT EXISTS perf;
USE perf;

CREATE TABLE IF NOT EXISTS slices
(
    day Date,
    slice FixedString(16),      -- hash of the host and all samples
    attempt UInt64,
    service String,             -- of --service or --label service=; empty: each sample has its own
    host String,                -- of --label host=, or as recorded
    version String,             -- of --label version=; empty: each sample has its own
    labels Array(String),       -- all of them, as KEY=VALUE
    start DateTime,             -- time of the first sample
    duration UInt64,            -- ns
    samples UInt64,
    lost UInt64,                -- samples
    pushed DateTime DEFAULT now()
) ENGINE = MergeTree PARTITION BY day ORDER BY slice;

CREATE TABLE IF NOT EXISTS samples
(
    day Date,
    service String,             -- of --service or --label service=; or unit, or process, of the sample; or perf
    container String,           -- empty: in none
    version String,             -- of --label version=, or build-id of the program; empty: unknown
    event String,
    minute DateTime,
    stack UInt64,               -- 0: none
    process String,             -- name of the first thread
    thread String,              -- name
    attempt UInt64,
    weight UInt64,              -- ns of clocks, else counts of the event
    samples UInt64
) ENGINE = MergeTree PARTITION BY day ORDER BY (service, event, minute, stack);

-- Ids are hashes of the content: rows of equal ids are equal, and merges keep one of a day.
CREATE TABLE IF NOT EXISTS stacks
(
    day Date,
    id UInt64,
    function String,            -- where the sample was: of the innermost frame that is not inlined
    binary String,
    frames Array(UInt64)        -- outermost first
) ENGINE = ReplacingMergeTree PARTITION BY day ORDER BY id;

CREATE TABLE IF NOT EXISTS frames
(
    day Date,
    id UInt64,
    function String,
    binary String,              -- without folders
    path String,
    build_id String,            -- hex
    file String,                -- of the source
    line UInt32,                -- 0: unknown
    address UInt64,             -- in the binary
    is_inlined UInt8,
    is_kernel UInt8
) ENGINE = ReplacingMergeTree PARTITION BY day ORDER BY id;

-- The table per minute, over all hosts. fill-minutes.sql adds batches of slices to it.
CREATE TABLE IF NOT EXISTS minutes
(
    day Date,
    service String,
    event String,
    minute DateTime,
    function String,
    binary String,
    version String,
    batch UInt64,
    weight UInt64,
    samples UInt64
) ENGINE = MergeTree PARTITION BY day ORDER BY (service, event, function, binary, minute);

-- Which slices a batch has; it counts once filled names it.
CREATE TABLE IF NOT EXISTS batches
(
    day Date,
    batch UInt64,
    slice FixedString(16),
    attempt UInt64,
    start DateTime,
    end DateTime
) ENGINE = MergeTree PARTITION BY day ORDER BY batch;

CREATE TABLE IF NOT EXISTS filled
(
    day Date DEFAULT today(),
    batch UInt64
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY batch;

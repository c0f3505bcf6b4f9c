-- Tables over several nodes, which <remote_servers> of each node's configuration lists as the cluster perf.
-- On each node:
--	sed 's/perf;/perf_node;/' schema.sql | clickhouse-client --multiquery
--	clickhouse-client --multiquery <nodes.sql
-- Push to any node, and ask any. Slices are spread by their attempt's number; all rows of one are on one node.
CREATE DATABASE IF NOT EXISTS perf;
USE perf;

CREATE TABLE IF NOT EXISTS slices AS perf_node.slices ENGINE = Distributed(perf, perf_node, slices, attempt);
CREATE TABLE IF NOT EXISTS samples AS perf_node.samples ENGINE = Distributed(perf, perf_node, samples, attempt);
CREATE TABLE IF NOT EXISTS stacks AS perf_node.stacks ENGINE = Distributed(perf, perf_node, stacks, id);
CREATE TABLE IF NOT EXISTS frames AS perf_node.frames ENGINE = Distributed(perf, perf_node, frames, id);
CREATE TABLE IF NOT EXISTS minutes AS perf_node.minutes ENGINE = Distributed(perf, perf_node, minutes, cityHash64(function));
CREATE TABLE IF NOT EXISTS batches AS perf_node.batches ENGINE = Distributed(perf, perf_node, batches, batch);
CREATE TABLE IF NOT EXISTS filled AS perf_node.filled ENGINE = Distributed(perf, perf_node, filled, batch);

-- The same from the table per minute, which fill-minutes.sql keeps: fast, and without hosts.
SELECT event, function, binary, sum(weight) AS weight, sum(samples) AS samples
FROM perf.minutes
WHERE day >= today() - 7 -- AND service = 'shop' AND version = '4.2' AND minute >= '2026-11-23 10:00:00'
    AND batch GLOBAL IN (SELECT batch FROM perf.filled)
GROUP BY event, function, binary
ORDER BY weight DESC, function, binary
LIMIT 50;

-- Which services cost most, with how many containers and hosts? In the last 7 days; narrower: (1) conditions on samples,
-- (2) on slices such as host = 'web1'.
SELECT event, service, sum(weight) AS weight, sum(samples) AS samples,
    uniqExactIf(container, container != '') AS containers, uniqExact(host) AS hosts
FROM perf.samples
GLOBAL ANY INNER JOIN
(
    SELECT min(attempt) AS attempt, any(host) AS host FROM perf.slices
    WHERE day >= today() - 7 -- (2)
    GROUP BY slice
) USING attempt
WHERE day >= today() - 7 -- (1)
GROUP BY event, service
ORDER BY event, weight DESC, service
LIMIT 50;

-- What was pushed, day by day: slices, hosts, samples, lost samples.
SELECT of_day AS day, of_service AS service, of_version AS version, count() AS slices, uniqExact(of_host) AS hosts,
    sum(nr_samples) AS samples, sum(nr_lost) AS lost
FROM
(
    SELECT any(day) AS of_day, any(service) AS of_service, any(version) AS of_version, any(host) AS of_host,
        any(samples) AS nr_samples, any(lost) AS nr_lost
    FROM perf.slices
    GROUP BY slice
)
GROUP BY day, service, version
ORDER BY day, service, version;

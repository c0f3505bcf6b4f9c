#include "format/feature_room.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where in the file the entry of f is: there is one for each feature that is set, in the order of the bits.
 */
static int find_entry(int fd, enum feature f, u64 *offset)
{
	struct perf_data_header h;
	struct perf_data_section s;
	u64 nr_before = 0;

	if (file__pread_all(fd, &h, sizeof(h), 0) != sizeof(h) || h.magic != PERF_DATA_MAGIC2 ||
	    !(h.features[f / 64] >> f % 64 & 1))
		return -ENOENT;
	for (unsigned i = 0; i < (unsigned)f; i++)
		nr_before += h.features[i / 64] >> i % 64 & 1;
	*offset = h.data.offset + h.data.size + nr_before * sizeof(s);
	return file__pread_all(fd, &s, sizeof(s), *offset) == sizeof(s) && !s.size ? 0 : -ENOENT;
}

static int fill(int fd, enum feature f, const void *data, size_t size)
{
	struct perf_data_section s = { .size = size };
	struct stat st;
	u64 entry;
	int ret = find_entry(fd, f, &entry);

	if (ret)
		return ret;
	if (fstat(fd, &st))
		return -errno;
	s.offset = (u64)st.st_size;
	ret = file__pwrite_all(fd, data, size, s.offset);
	if (!ret)
		ret = file__pwrite_all(fd, &s, sizeof(s), entry);
	if (ret && ftruncate(fd, st.st_size))
		return ret; /* then there are bytes behind all sections, which nobody reads */
	return ret;
}

int feature_room__fill(const char *path, enum feature f, const void *data, size_t size, struct err *err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), ret = fd < 0 ? -errno : fill(fd, f, data, size);

	if (fd >= 0)
		close(fd);
	return ret ? err__set(err, ret, "'%s': %s", path, err__str(ret)) : 0;
}

#include "profile/change/repository.h"

#include "base/system/file.h"
#include "base/system/run.h"
#include "base/text/number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	TIME_MAX = 20000,       /* ms, of one run of git */
	OUTPUT_MAX = 256 << 20, /* bytes */
};

/* ---- git ---- */

/*
 * Run git with these words after the options that all runs have. in: its standard input, or -1. Return its
 * exit status, or a negative errno with err.
 */
static int run_git(const struct repository *r, const char *const *words, size_t nr, int in,
		   struct strbuf *out, struct err *err)
{
	/*
	 * The configuration of the repository may name programs: for watching files, for fetching what a
	 * partial clone lacks. The variables and -c count more than it does. Commands that may run hooks,
	 * text converters, difference programs or a pager are not used.
	 */
	static char *const environment[] = { (char *)"GIT_CONFIG_NOSYSTEM=1",
					     (char *)"GIT_CONFIG_GLOBAL=/dev/null",
					     (char *)"GIT_ALLOW_PROTOCOL=none",
					     (char *)"GIT_NO_LAZY_FETCH=1",
					     (char *)"GIT_NO_REPLACE_OBJECTS=1",
					     (char *)"GIT_OPTIONAL_LOCKS=0",
					     (char *)"GIT_TERMINAL_PROMPT=0",
					     (char *)"GIT_PAGER=cat",
					     NULL };
	const char *first[] = {
		r->git, "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
		NULL,   NULL,
	};
	const struct run_limits limits = { .ms = TIME_MAX, .bytes = OUTPUT_MAX, .environment = environment };
	char *dir = xasprintf("--git-dir=%s", r->dir);
	const char **argv = xcalloc(ARRAY_SIZE(first) + nr, sizeof(*argv));
	size_t k = 0;
	int ret, null = -1;

	first[ARRAY_SIZE(first) - 2] = dir;
	for (; first[k]; k++)
		argv[k] = first[k];
	for (size_t i = 0; i < nr; i++)
		argv[k + i] = words[i];
	if (in < 0)
		in = null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ret = in < 0 ? -errno : run__output(r->git, (char *const *)argv, in, &limits, out);
	file__close(null);
	free(argv);
	free(dir);
	if (ret == -ETIMEDOUT)
		err__set(err, ret, "git needed more than %d seconds to read '%s'", TIME_MAX / 1000, r->dir);
	else if (ret == -E2BIG)
		err__set(err, ret, "git printed more than %d MB of '%s'", OUTPUT_MAX >> 20, r->dir);
	else if (ret < 0)
		err__set(err, ret, "cannot run '%s': %s", r->git, err__str(ret));
	return ret;
}

#define RUN_GIT(r, in, out, err, ...)                                         \
	({                                                                    \
		const char *const words_[] = { __VA_ARGS__ };                 \
		run_git((r), words_, ARRAY_SIZE(words_), (in), (out), (err)); \
	})

/* ---- where it is ---- */

/* Return the folder's ".git", or the folder itself if it is the data of a repository; or NULL. */
static char *data_of(const char *folder)
{
	char *dir = xasprintf("%s/.git", folder), *head = xasprintf("%s/HEAD", folder);
	char *objects = xasprintf("%s/objects", folder), *common = xasprintf("%s/commondir", folder);

	if (access(dir, F_OK)) {
		free(dir);
		dir = !access(head, F_OK) && (!access(objects, F_OK) || !access(common, F_OK))
			      ? xstrdup(folder)
			      : NULL;
	}
	free(head);
	free(objects);
	free(common);
	return dir;
}

int repository__open(struct repository *r, const char *path, struct err *err)
{
	char *folder = realpath(path ? path : ".", NULL), *slash;

	*r = (struct repository){ 0 };
	if (command__find("git", &r->git) || *r->git != '/') {
		free(folder);
		return err__set(err, -ENOENT, "there is no git here: install it");
	}
	for (; folder && !r->dir; slash[0] = '\0') {
		r->dir = data_of(folder);
		slash = strrchr(folder, '/');
		if (!slash || !*folder)
			break;
	}
	free(folder);
	if (r->dir)
		return 0;
	err__set(err, -ENOENT, "'%s' is not in a git repository", path ? path : ".");
	err__advise(err, "to name one: --git-dir=FOLDER");
	return -ENOENT;
}

void repository__close(struct repository *r)
{
	free(r->git);
	free(r->dir);
	*r = (struct repository){ 0 };
}

/* ---- commits ---- */

int repository__find_commit(const struct repository *r, const char *revision, struct strbuf *name,
			    struct err *err)
{
	char *commit = xasprintf("%s^{commit}", revision);
	size_t start = name->len;
	int ret = RUN_GIT(r, -1, name, err, "rev-parse", "--verify", "--quiet", "--end-of-options", commit);

	free(commit);
	while (name->len > start && name->buf[name->len - 1] == '\n')
		strbuf__setlen(name, name->len - 1);
	if (ret < 0 || (!ret && name->len > start))
		return ret;
	err__set(err, -ENOENT, "'%s' is no commit of '%s'", revision, r->dir);
	err__advise(err, "a clone may lack older commits: git fetch --unshallow");
	return -ENOENT;
}

static int compare_files(const void *x, const void *y, void *names)
{
	const struct tree_file *a = x, *b = y;

	return strcmp(strpool__get(names, a->path), strpool__get(names, b->path));
}

/* Take "MODE TYPE OBJECT\tPATH". */
static void tree__add_line(struct tree *t, const char *line)
{
	const char *tab = strchr(line, '\t'), *type = strchr(line, ' ');
	const char *object = type ? strchr(type + 1, ' ') : NULL;

	if (!tab || !object || object > tab)
		return;
	if (!strncmp(type + 1, "commit ", 7))
		strbuf__addf(&t->submodules, "%s\n", line);
	if (strncmp(type + 1, "blob ", 5) || strncmp(line, "100", 3)) /* no symbolic links */
		return;
	array__add(&t->files, ((struct tree_file){ .path = strpool__intern(&t->names, tab + 1),
						   .blob = strpool__internn(&t->names, object + 1,
									    (size_t)(tab - object - 1)) }));
}

void tree__init(struct tree *t)
{
	*t = (struct tree){ .submodules = STRBUF_INIT };
	strpool__init(&t->names);
}

int repository__read_tree(const struct repository *r, const char *commit, struct tree *t, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = RUN_GIT(r, -1, &out, err, "ls-tree", "-r", "-z", "--full-tree", commit);

	if (ret > 0)
		ret = err__set(err, -EIO, "git cannot read the files of '%s' in '%s'", commit, r->dir);
	for (const char *p = out.buf; !ret && p < out.buf + out.len; p += strlen(p) + 1)
		tree__add_line(t, p);
	if (t->files.nr)
		qsort_r(t->files.v, t->files.nr, sizeof(*t->files.v), compare_files, &t->names);
	strbuf__exit(&out);
	return ret;
}

void tree__exit(struct tree *t)
{
	array__exit(&t->files);
	strbuf__exit(&t->submodules);
	strpool__exit(&t->names);
}

/* ---- contents ---- */

/* Run git cat-file with the names of those blobs as input that are wanted. */
static int cat_files(const struct repository *r, const char *mode, const struct blob *blobs,
		     const bool *wanted, size_t nr, struct strbuf *out, struct err *err)
{
	struct strbuf in = STRBUF_INIT;
	int fd = memfd_create("names", MFD_CLOEXEC), ret;

	for (size_t i = 0; i < nr; i++)
		if (wanted[i])
			strbuf__addf(&in, "%s\n", blobs[i].name);
	ret = fd < 0 ? -errno : file__pwrite_all(fd, in.buf, in.len, 0);
	strbuf__exit(&in);
	if (ret)
		err__set(err, ret, "cannot keep the names of files: %s", err__str(ret));
	else
		ret = RUN_GIT(r, fd, out, err, "cat-file", mode);
	file__close(fd);
	return ret > 0 ? err__set(err, -EIO, "git cannot read files in '%s'", r->dir) : ret;
}

/*
 * Read "OBJECT blob SIZE" at *p, and set *p behind the line. Return 0, or -ENOENT: it is no blob, or is
 * missing.
 */
static int read_head(const char **p, const char *end, u64 *size)
{
	const char *line = *p, *eol = memchr(line, '\n', (size_t)(end - line));
	const char *word = eol ? memmem(line, (size_t)(eol - line), " blob ", 6) : NULL;
	char number[24];

	*p = eol ? eol + 1 : end;
	if (!word || (size_t)(eol - word - 6) >= sizeof(number))
		return -ENOENT;
	memcpy(number, word + 6, (size_t)(eol - word - 6));
	number[eol - word - 6] = '\0';
	return number__parse(number, 0, INT64_MAX, size) ? 0 : -ENOENT;
}

int repository__read_blobs(const struct repository *r, struct blob *blobs, size_t nr, size_t max,
			   size_t total, struct err *err)
{
	bool *wanted = xcalloc(nr + 1, sizeof(*wanted));
	struct strbuf out = STRBUF_INIT;
	const char *p, *end;
	u64 size, sum = 0;
	int ret;

	memset(wanted, true, nr);
	ret = nr ? cat_files(r, "--batch-check", blobs, wanted, nr, &out, err) : 0;
	for (p = out.buf, end = p + out.len; nr && p < end && !ret; p = end)
		for (size_t i = 0; i < nr; i++) {
			wanted[i] = !read_head(&p, end, &size) && size <= max && sum + size <= total;
			sum += wanted[i] ? size : 0;
		}
	strbuf__reset(&out);
	if (!ret && nr)
		ret = cat_files(r, "--batch", blobs, wanted, nr, &out, err);
	p = out.buf;
	end = p + out.len;
	for (size_t i = 0; i < nr && !ret; i++) {
		if (!wanted[i] || read_head(&p, end, &size) || size > (u64)(end - p))
			continue;
		blobs[i].size = (size_t)size;
		blobs[i].text = xmalloc(blobs[i].size + 1);
		memcpy(blobs[i].text, p, blobs[i].size);
		blobs[i].text[size] = '\0';
		p += MIN(size + 1, (u64)(end - p)); /* a line end follows */
	}
	strbuf__exit(&out);
	free(wanted);
	return ret;
}

int repository__find_words(const struct repository *r, const char *commit, const name_array *words,
			   struct strbuf *paths, struct err *err)
{
	ARRAY(const char *) argv = { 0 };
	struct strbuf out = STRBUF_INIT;
	size_t prefix = strlen(commit) + 1;
	int ret;

	array__add(&argv, "grep");
	array__add(&argv, "-lzwFI");
	array__add(&argv, "--no-textconv");
	array__add(&argv, "--no-color");
	array__add(&argv, "--no-recurse-submodules");
	array__add(&argv, "--full-name");
	for (size_t i = 0; i < words->nr; i++) {
		array__add(&argv, "-e");
		array__add(&argv, words->v[i]);
	}
	array__add(&argv, commit);
	array__add(&argv, "--");
	ret = words->nr ? run_git(r, argv.v, argv.nr, -1, &out, err) : 1; /* 1: nothing has these */
	for (const char *p = out.buf; !ret && p < out.buf + out.len; p += strlen(p) + 1)
		if (strlen(p) > prefix) /* "COMMIT:PATH" */
			strbuf__add(paths, p + prefix, strlen(p + prefix) + 1);
	array__exit(&argv);
	strbuf__exit(&out);
	if (ret > 1)
		return err__set(err, -EIO, "git cannot search the files of '%s' in '%s'", commit, r->dir);
	return MIN(ret, 0);
}

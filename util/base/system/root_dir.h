/* Folders of other mount namespaces, such as /proc/PID/root. */
#ifndef BASE_ROOT_DIR_H
#define BASE_ROOT_DIR_H

/*
 * Open what a path below an open folder names, with the flags of open(2) but no O_CREAT. Symbolic links,
 * also with "..", do not lead out of the folder. Return a descriptor or a negative errno; -ENOSYS, -EPERM:
 * the kernel is older than 5.6, or a filter forbids openat2.
 */
int root_dir__open(int root, const char *path, int flags);

#endif

/*
 * The first program of check-arm64's virtual machine. Loads the modules in /modules (file names, in order),
 * mounts the disk as the root, the shared folder as /share and that of modules as /lib/modules, and runs
 * /share/job there. Powers off when the job ends; its exit status is in /share/status then.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int ret, const char *what)
{
	if (ret >= 0)
		return;
	perror(what);
	reboot(RB_POWER_OFF);
}

static void load_modules(void)
{
	FILE *list = fopen("/modules", "r");
	char name[256];

	while (list && fgets(name, sizeof(name), list)) {
		int fd;

		name[strcspn(name, "\n")] = '\0';
		fd = open(name, O_RDONLY | O_CLOEXEC);
		must(fd, name);
		must((int)syscall(SYS_finit_module, fd, "", 0), name);
		close(fd);
	}
}

/* Disks appear a moment after the module of their driver was loaded. */
static void mount_disk(void)
{
	int ret = -1;

	for (int i = 0; i < 100 && ret < 0; i++) {
		ret = mount("/dev/vda", "/root", "ext4", 0, "");
		if (ret < 0)
			usleep(100000);
	}
	must(ret, "mounting the disk");
	mkdir("/root/share", 0755);
	must(mount("share", "/root/share", "9p", 0, "trans=virtio,version=9p2000.L,cache=loose,msize=262144"),
	     "mounting the shared folder");
	must(mount("modules", "/root/lib/modules", "9p", MS_RDONLY,
		   "trans=virtio,version=9p2000.L,cache=loose,msize=262144"),
	     "mounting the kernel's modules");
}

static void run_job(void)
{
	static char *const argv[] = { "/bin/bash", "/share/job", NULL };
	static char *const envp[] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
				      "HOME=/root", "TERM=dumb", "LC_ALL=C", NULL };
	pid_t pid = fork();
	int status = 0;
	FILE *f;

	if (!pid) {
		setsid();
		execve(argv[0], argv, envp);
		perror(argv[0]);
		_exit(127);
	}
	/* Orphans are ours, too. */
	for (pid_t done = 0; done != pid && done >= 0;)
		done = wait(&status);
	f = fopen("/share/status", "w");
	if (f) {
		fprintf(f, "%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
		fclose(f);
	}
}

int main(void)
{
	must(mount("dev", "/dev", "devtmpfs", 0, ""), "mounting /dev");
	load_modules();
	mount_disk();
	must(chroot("/root"), "chroot");
	must(chdir("/"), "chdir");
	must(mount("proc", "/proc", "proc", 0, ""), "mounting /proc");
	must(mount("sys", "/sys", "sysfs", 0, ""), "mounting /sys");
	must(mount("dev", "/dev", "devtmpfs", 0, ""), "mounting /dev");
	must(mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, ""), "mounting tracefs");
	must(mount("tmp", "/tmp", "tmpfs", 0, "mode=1777"), "mounting /tmp");
	mkdir("/dev/pts", 0755);
	mkdir("/dev/shm", 01777);
	mount("devpts", "/dev/pts", "devpts", 0, "ptmxmode=666");
	mount("shm", "/dev/shm", "tmpfs", 0, "mode=1777");
	symlink("/proc/self/fd", "/dev/fd");
	run_job();
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}

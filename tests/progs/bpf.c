/*
 * Loads a BPF program called "spinning" of many instructions, prints its name as the kernel has it
 * (bpf_prog_TAG_NAME), and lets the kernel run it for a second or two.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long bpf(int command, union bpf_attr *attr, unsigned size)
{
	return syscall(SYS_bpf, command, attr, size);
}

int main(int argc, char **argv)
{
	static struct bpf_insn code[2002];
	union bpf_attr attr;
	struct bpf_prog_info info;
	char packet[64] = "", line[8];
	time_t end;
	int fd;

	code[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 1 };
	for (int i = 1; i < 2001; i++)
		code[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MUL | BPF_K, .dst_reg = 0, .imm = 3 };
	code[2001] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = 2002;
	attr.license = (uintptr_t) "GPL";
	strcpy(attr.prog_name, "spinning");
	fd = (int)bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0) {
		perror("bpf");
		return 77;
	}
	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (unsigned)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) || !info.jited_prog_len) {
		puts("not compiled");
		return 77;
	}
	printf("bpf_prog_");
	for (unsigned i = 0; i < sizeof(info.tag); i++)
		printf("%02x", info.tag[i]);
	printf("_%s\n", info.name);
	fflush(stdout);
	if (argc > 1 && !strcmp(argv[1], "wait") && !fgets(line, sizeof(line), stdin))
		return 1;
	for (end = time(NULL) + 2; time(NULL) < end;) {
		memset(&attr, 0, sizeof(attr));
		attr.test.prog_fd = (unsigned)fd;
		attr.test.repeat = 10000;
		attr.test.data_in = (uintptr_t)packet;
		attr.test.data_size_in = sizeof(packet);
		if (bpf(BPF_PROG_TEST_RUN, &attr, sizeof(attr))) {
			perror("bpf test run");
			return 77;
		}
	}
	return 0;
}

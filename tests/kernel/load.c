/*
 * What make check-kernel records in its virtual machine: a kernel module at work (the kernel's crypto
 * interface hashing with sha3_generic), and functions of an ordinary program. Ends after a fixed amount of
 * work.
 */
#include <linux/if_alg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#define KEEP __attribute__((noipa))

static volatile unsigned long sink;

KEEP void spins(int rounds)
{
	for (int i = 0; i < rounds; i++)
		sink = sink * 7 + (unsigned long)i;
}

KEEP void calls(int rounds)
{
	char room[200];

	memset(room, rounds, sizeof(room));
	spins(rounds);
	sink += (unsigned long)room[rounds % 200];
}

KEEP int opens_hash(const char *name)
{
	struct sockaddr_alg to = { .salg_family = AF_ALG, .salg_type = "hash" };
	int s, hash;

	snprintf((char *)to.salg_name, sizeof(to.salg_name), "%s", name);
	s = socket(AF_ALG, SOCK_SEQPACKET, 0);
	if (s < 0 || bind(s, (struct sockaddr *)&to, sizeof(to)) < 0 || (hash = accept(s, NULL, 0)) < 0) {
		perror(name);
		exit(1);
	}
	return hash;
}

KEEP void hashes(int hash, const char *data, size_t size)
{
	unsigned char digest[32];

	if (send(hash, data, size, 0) != (ssize_t)size ||
	    read(hash, digest, sizeof(digest)) != sizeof(digest)) {
		perror("hash");
		exit(1);
	}
	sink += digest[0];
}

int main(int argc, char **argv)
{
	static char data[1 << 16];
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	int hash = opens_hash("sha3-256-generic");

	for (int i = 0; i < rounds; i++) {
		memset(data, i, sizeof(data));
		hashes(hash, data, sizeof(data));
		calls(200000);
	}
	return 0;
}

/* Who ended a wait for a lock, and which lock it was. */
#include "unit.h"

#include "profile/waits/locks.h"

#include <string.h>

enum { THREAD = WOKEN_BY_THREAD, FUTEX = WOKEN_BY_THREAD | WOKEN_BY_FUTEX };

static u32 facts_of(const char *const *kernel, const char *const *user)
{
	u32 facts = 0;

	for (; *kernel; kernel++)
		facts |= waker_facts__of(*kernel, true);
	for (; *user; user++)
		facts |= waker_facts__of(*user, false);
	return facts;
}

static void a_role_needs_proof(void **state)
{
	static const struct {
		enum waker_role role;
		enum lock_kind kind;
		u32 flags;
		const char *kernel[8], *user[4];
	} wakings[] = {
		{ ROLE_HOLDER, LOCK_MUTEX, FUTEX, { NULL }, { NULL } },
		{ ROLE_UNKNOWN, LOCK_MUTEX, THREAD, { NULL }, { NULL } }, /* a signal */
		{ ROLE_UNKNOWN, LOCK_MUTEX, WOKEN_BY_FUTEX, { NULL }, { NULL } },
		{ ROLE_UNKNOWN, LOCK_MUTEX, 0, { NULL }, { NULL } },
		{ ROLE_INTERRUPT, LOCK_MUTEX, FUTEX | WOKEN_BY_HARDIRQ, { NULL }, { NULL } },
		{ ROLE_HOLDER, LOCK_ONCE, FUTEX, { NULL }, { NULL } },
		{ ROLE_HOLDER, LOCK_RWLOCK, FUTEX, { NULL }, { "___pthread_rwlock_unlock", "writer" } },
		{ ROLE_UNKNOWN, LOCK_RWLOCK, FUTEX, { NULL }, { "___pthread_rwlock_rdlock", "reader" } },
		{ ROLE_HOLDER,
		  LOCK_RWLOCK,
		  FUTEX,
		  { NULL },
		  { "std::sys::sync::rwlock::futex::RwLock::wake_writer_or_readers", "writer" } },
		{ ROLE_SIGNALLER, LOCK_CONDITION, FUTEX, { NULL }, { NULL } },
		{ ROLE_UNKNOWN, LOCK_CONDITION, THREAD, { NULL }, { NULL } },
		{ ROLE_POSTER, LOCK_SEMAPHORE, FUTEX, { NULL }, { NULL } },
		{ ROLE_LAST, LOCK_BARRIER, FUTEX, { NULL }, { NULL } },
		{ ROLE_ENDED, LOCK_THREAD, THREAD, { "wake_up_q", "mm_release", "do_exit" }, { NULL } },
		{ ROLE_UNKNOWN, LOCK_THREAD, THREAD, { "do_send_sig_info", "__x64_sys_kill" }, { NULL } },
		{ ROLE_HOLDER, LOCK_KERNEL_MUTEX, THREAD, { "wake_up_q", "mutex_unlock" }, { NULL } },
		{ ROLE_WAKER, LOCK_KERNEL_MUTEX, THREAD, { NULL }, { NULL } },
		{ ROLE_WAKER, LOCK_NONE, THREAD, { "pipe_write" }, { NULL } },
		{ ROLE_KERNEL_THREAD, LOCK_NONE, THREAD, { "worker_thread", "kthread" }, { NULL } },
		{ ROLE_WAKER, /* a packet for this machine */
		  LOCK_NONE,
		  THREAD | WOKEN_BY_SOFTIRQ,
		  { "sock_def_readable", "tcp_v4_rcv", "net_rx_action", "do_softirq", "__local_bh_enable_ip",
		    "tcp_sendmsg" },
		  { "send" } },
		{ ROLE_INTERRUPT, /* it only came while the thread sent something */
		  LOCK_NONE,
		  THREAD | WOKEN_BY_SOFTIRQ,
		  { "net_rx_action", "__irq_exit_rcu", "asm_common_interrupt", "do_softirq",
		    "__local_bh_enable_ip", "tcp_sendmsg" },
		  { "send" } },
		{ ROLE_INTERRUPT, LOCK_NONE, THREAD | WOKEN_BY_SOFTIRQ, { NULL }, { NULL } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wakings); i++) {
		const struct wait_detail d = { .flags = wakings[i].flags, .pid = 10, .tid = 11 };
		enum waker_role role =
			wait_detail__role(&d, wakings[i].kind, facts_of(wakings[i].kernel, wakings[i].user));

		if (role != wakings[i].role)
			fail_msg("waking %zu: role %d, expected %d", i, (int)role, (int)wakings[i].role);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_role_needs_proof),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "profile/waits/wait_kinds.h"

#include "base/memory/array.h"

#include <string.h>

enum wait_place {
	PLACE_UNKNOWN,
	PLACE_SCHEDULER, /* part of any wait; says nothing about it */
	PLACE_KERNEL,    /* the outermost one decides */
	PLACE_LEAF,      /* decides alone, if no frame further in has decided */
	PLACE_THREAD,    /* outermost functions of kernel threads */
	PLACE_SYNC,      /* user space: what a futex is for; the outermost one decides */
	PLACE_CALL,    /* user space: the wrapper of a system call; decides if the kernel's part is missing */
	PLACE_LIBRARY, /* user space: of a language's library; no place to name a lock by */
};

/* A row of a table: functions, separated by blanks. A leading '*': names that contain this. */
struct wait_row {
	enum wait_kind kind;
	enum wait_place place;
	const char *functions;
	enum lock_kind
		lock; /* with WAIT_LOCK and WAIT_KERNEL, and where the kind of the wait does not say it */
	bool is_own;  /* its futex belongs to the thread that waits, not to a lock */
};

/* Linux 4.4 to 6.18 */
static const struct wait_row kernel_rows[] = {
	{ WAIT_NONE, PLACE_SCHEDULER,
	  "schedule __schedule schedule_timeout schedule_timeout_interruptible schedule_timeout_killable "
	  "schedule_timeout_uninterruptible schedule_hrtimeout schedule_hrtimeout_range "
	  "schedule_hrtimeout_range_clock schedule_preempt_disabled freezable_schedule rt_mutex_schedule "
	  "__perf_event_task_sched_out perf_event_task_sched_out prepare_task_switch "
	  "__traceiter_sched_switch "
	  "wait_woken do_wait_intr do_wait_intr_irq wait_for_completion wait_for_completion_state "
	  "wait_for_completion_killable wait_for_completion_interruptible wait_for_completion_timeout "
	  "wait_for_common __wait_for_common bit_wait __wait_on_bit out_of_line_wait_on_bit" },
	{ WAIT_FOR_EVER, PLACE_LEAF, "do_task_dead" },
	{ WAIT_RUNNABLE, PLACE_LEAF,
	  "preempt_schedule preempt_schedule_common preempt_schedule_irq preempt_schedule_notrace "
	  "exit_to_user_mode_loop exit_to_user_mode_prepare exit_to_usermode_loop irqentry_exit "
	  "raw_irqentry_exit_cond_resched do_notify_resume __cond_resched _cond_resched do_sched_yield "
	  "yield yield_to" },
	{ WAIT_SLEEP, PLACE_KERNEL,
	  "do_nanosleep hrtimer_nanosleep common_nsleep common_nsleep_timens __x64_sys_clock_nanosleep "
	  "__x64_sys_nanosleep __arm64_sys_clock_nanosleep __arm64_sys_nanosleep msleep "
	  "msleep_interruptible usleep_range usleep_range_state" },
	{ WAIT_FUTEX, PLACE_KERNEL,
	  "futex_wait_queue futex_wait_queue_me futex_do_wait __futex_wait futex_wait do_futex "
	  "futex_wait_multiple __x64_sys_futex __arm64_sys_futex __x64_sys_futex_waitv" },
	{ WAIT_LOCK, PLACE_KERNEL, "futex_lock_pi", LOCK_MUTEX },
	{ WAIT_POLL, PLACE_KERNEL,
	  "poll_schedule_timeout do_poll do_sys_poll do_select core_sys_select do_pselect ep_poll "
	  "do_epoll_wait do_epoll_pwait io_cqring_wait" },
	{ WAIT_PIPE, PLACE_KERNEL,
	  "pipe_read pipe_write anon_pipe_read anon_pipe_write fifo_pipe_read fifo_pipe_write pipe_wait "
	  "pipe_wait_readable pipe_wait_writable wait_for_partner fifo_open" },
	{ WAIT_SOCKET, PLACE_KERNEL,
	  "sk_wait_data sk_stream_wait_memory sk_stream_wait_connect __skb_wait_for_more_packets "
	  "__skb_recv_udp unix_stream_read_generic unix_stream_data_wait unix_wait_for_peer "
	  "unix_stream_connect inet_wait_for_connect inet_stream_connect sock_alloc_send_pskb "
	  "lock_sock_nested __lock_sock sock_recvmsg sock_sendmsg sock_read_iter sock_write_iter "
	  "__sys_recvfrom __sys_sendto __sys_recvmsg __sys_sendmsg __sys_recvmmsg __sys_sendmmsg "
	  "__sys_connect" },
	{ WAIT_ACCEPT, PLACE_KERNEL, "inet_csk_accept inet_accept unix_accept do_accept __sys_accept4" },
	{ WAIT_EVENTFD, PLACE_KERNEL,
	  "eventfd_read eventfd_write timerfd_read timerfd_read_iter inotify_read fanotify_read" },
	{ WAIT_SIGNAL, PLACE_KERNEL,
	  "do_sigtimedwait sigsuspend signalfd_read signalfd_read_iter signalfd_dequeue __do_sys_pause "
	  "__x64_sys_pause sys_pause" },
	{ WAIT_CHILD, PLACE_KERNEL,
	  "do_wait kernel_wait4 kernel_waitid wait_for_vfork_done kernel_clone _do_fork" },
	{ WAIT_FILE_LOCK, PLACE_KERNEL,
	  "locks_lock_inode_wait flock_lock_inode_wait posix_lock_inode_wait do_lock_file_wait fcntl_setlk "
	  "__do_sys_flock __x64_sys_flock __arm64_sys_flock" },
	{ WAIT_SEMAPHORE, PLACE_KERNEL, "do_semtimedop __do_semtimedop" },
	{ WAIT_MESSAGE, PLACE_KERNEL, "do_msgrcv do_msgsnd do_mq_timedreceive do_mq_timedsend wq_sleep" },
	{ WAIT_TERMINAL, PLACE_KERNEL, "n_tty_read n_tty_write tty_read tty_write file_tty_write" },
	{ WAIT_IO, PLACE_KERNEL,
	  "io_schedule io_schedule_timeout bit_wait_io wait_on_page_bit wait_on_page_bit_common "
	  "folio_wait_bit folio_wait_bit_common __folio_lock __lock_page wait_for_completion_io "
	  "wait_for_completion_io_timeout submit_bio_wait __iomap_dio_rw iomap_dio_rw "
	  "__blockdev_direct_IO blk_mq_get_tag rq_qos_wait balance_dirty_pages "
	  "balance_dirty_pages_ratelimited_flags jbd2_log_wait_commit wait_transaction_locked "
	  "jbd2_journal_lock_updates xfs_buf_iowait rpc_wait_bit_killable nfs_wait_bit_killable "
	  "request_wait_answer" },
	{ WAIT_FAULT, PLACE_KERNEL,
	  "handle_mm_fault do_page_fault __do_page_fault exc_page_fault do_user_addr_fault do_mem_abort" },
	{ WAIT_MEMORY, PLACE_KERNEL,
	  "try_to_free_pages try_to_free_mem_cgroup_pages throttle_direct_reclaim "
	  "mem_cgroup_handle_over_high __mem_cgroup_handle_over_high" },
	{ WAIT_KERNEL, PLACE_KERNEL,
	  "__mutex_lock __mutex_lock_slowpath mutex_lock mutex_lock_killable mutex_lock_interruptible "
	  "__mutex_lock_killable_slowpath __mutex_lock_interruptible_slowpath mutex_lock_io "
	  "ww_mutex_lock __ww_mutex_lock rt_mutex_slowlock rt_mutex_lock rt_mutex_slowlock_block",
	  LOCK_KERNEL_MUTEX },
	{ WAIT_KERNEL, PLACE_KERNEL,
	  "rwsem_down_read_slowpath rwsem_down_write_slowpath down_read down_write down_read_killable "
	  "down_write_killable down_read_interruptible __percpu_down_read percpu_down_write "
	  "percpu_rwsem_wait",
	  LOCK_KERNEL_RWLOCK },
	{ WAIT_KERNEL, PLACE_KERNEL,
	  "__down __down_common down down_interruptible down_killable __down_killable "
	  "__down_interruptible",
	  LOCK_KERNEL_SEMAPHORE },
	{ WAIT_KERNEL, PLACE_KERNEL,
	  "synchronize_rcu synchronize_rcu_normal synchronize_rcu_expedited __wait_rcu_gp "
	  "synchronize_srcu" },
	{ WAIT_STOPPED, PLACE_KERNEL,
	  "ptrace_stop do_signal_stop do_jobctl_trap do_freezer_trap __refrigerator" },
	{ WAIT_NOTHING, PLACE_THREAD,
	  "kthread kthreadd ret_from_fork ret_from_fork_asm ret_from_kernel_thread kernel_thread" },
};

/* User space: without leading "_", "GI_" and "libc_"; "T::f" for Rust's "<T>::f" and "<T as U>::f". */
static const struct wait_row user_rows[] = {
	{ WAIT_LOCK, PLACE_SYNC,
	  "pthread_mutex_lock pthread_mutex_lock_full pthread_mutex_timedlock pthread_mutex_clocklock "
	  "pthread_mutex_clocklock_common pthread_mutex_cond_lock pthread_mutex_cond_lock_full "
	  "lll_lock_wait lll_lock_wait_private lll_clocklock_wait futex_lock_pi64 mtx_lock mtx_timedlock "
	  "runtime.lock2 runtime.lock runtime.lockWithRank runtime.lockWithRankMayAcquire "
	  "runtime.semacquire1 take_gil *Mutex::lock_contended *RawMutex::lock_slow "
	  "*ObjectMonitor::enter",
	  LOCK_MUTEX },
	{ WAIT_LOCK, PLACE_SYNC,
	  "pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_timedrdlock "
	  "pthread_rwlock_timedwrlock pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock "
	  "pthread_rwlock_rdlock_full pthread_rwlock_wrlock_full pthread_rwlock_rdlock_full64 "
	  "pthread_rwlock_wrlock_full64 *RwLock::read_contended *RwLock::write_contended "
	  "*RawRwLock::lock_shared_slow *RawRwLock::lock_exclusive_slow "
	  "*RawRwLock::lock_upgradable_slow *RawRwLock::wait_for_readers *RawRwLock::lock_common",
	  LOCK_RWLOCK },
	{ WAIT_LOCK, PLACE_SYNC, "pthread_once pthread_once_slow cxa_guard_acquire *futex::Once::call",
	  LOCK_ONCE },
	{ WAIT_LOCK, PLACE_SYNC, "runtime.semasleep", LOCK_MUTEX, true },
	{ WAIT_CONDITION, PLACE_SYNC,
	  "pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait pthread_cond_wait_common "
	  "pthread_cond_timedwait64 pthread_cond_clockwait64 cnd_wait cnd_timedwait "
	  "*Condvar::wait_optional_timeout *Condvar::wait_until_internal "
	  "*condvar::futex::Condvar::wait *futex_condvar::Condvar::wait",
	  LOCK_CONDITION },
	{ WAIT_CONDITION, PLACE_SYNC,
	  "runtime.stopm runtime.notesleep runtime.notetsleep runtime.notetsleepg *Parker::park "
	  "*thread::park *thread::Thread::park *thread::functions::park *PlatformEvent::park "
	  "*ParkEvent::park",
	  LOCK_NONE, true },
	{ WAIT_SEMAPHORE, PLACE_SYNC,
	  "sem_wait sem_timedwait sem_clockwait new_sem_wait new_sem_wait_slow64 new_sem_wait_slow "
	  "sem_timedwait64 sem_clockwait64 *semaphore_base::_M_acquire *counting_semaphore",
	  LOCK_SEMAPHORE },
	{ WAIT_BARRIER, PLACE_SYNC,
	  "pthread_barrier_wait gomp_barrier_wait gomp_barrier_wait_end gomp_team_barrier_wait_end "
	  "*sync::barrier::Barrier::wait",
	  LOCK_BARRIER },
	{ WAIT_JOIN, PLACE_SYNC,
	  "pthread_join pthread_timedjoin_np pthread_clockjoin_np pthread_clockjoin_ex "
	  "pthread_timedjoin_ex thrd_join",
	  LOCK_THREAD },
	{ WAIT_SLEEP, PLACE_CALL,
	  "nanosleep clock_nanosleep clock_nanosleep_time64 sleep usleep runtime.usleep" },
	{ WAIT_POLL, PLACE_CALL,
	  "poll ppoll select pselect epoll_wait epoll_pwait epoll_pwait2 runtime.netpoll "
	  "runtime/internal/syscall.EpollWait internal/runtime/syscall.EpollWait runtime.epollwait" },
	{ WAIT_ACCEPT, PLACE_CALL, "accept accept4" },
	{ WAIT_SOCKET, PLACE_CALL, "recv recvfrom recvmsg recvmmsg send sendto sendmsg sendmmsg connect" },
	{ WAIT_SIGNAL, PLACE_CALL, "sigwait sigwaitinfo sigtimedwait sigsuspend pause" },
	{ WAIT_CHILD, PLACE_CALL, "wait wait3 wait4 waitpid waitid vfork" },
	{ WAIT_FILE_LOCK, PLACE_CALL, "flock lockf" },
	{ WAIT_MESSAGE, PLACE_CALL, "msgrcv msgsnd mq_receive mq_timedreceive mq_send mq_timedsend" },
	{ WAIT_SEMAPHORE, PLACE_CALL, "semop semtimedop" },
	{ WAIT_IO, PLACE_CALL,
	  "pread pread64 preadv pwrite pwrite64 pwritev fsync fdatasync sync_file_range sync syncfs "
	  "msync" },
	{ WAIT_OTHER, PLACE_CALL,
	  "read readv write writev open open64 openat fcntl fcntl64 ioctl close syscall sendfile splice" },
};

static const struct {
	const char *name;
	bool may_be_idle;
} kinds[WAIT_NR_KINDS] = {
	[WAIT_NONE] = { "running", false },
	[WAIT_OTHER] = { "wait", false },
	[WAIT_SLEEP] = { "sleep", true },
	[WAIT_LOCK] = { "lock", false },
	[WAIT_CONDITION] = { "condition", true },
	[WAIT_SEMAPHORE] = { "semaphore", true },
	[WAIT_BARRIER] = { "barrier", false },
	[WAIT_JOIN] = { "join", true },
	[WAIT_FUTEX] = { "futex", false },
	[WAIT_POLL] = { "poll", true },
	[WAIT_PIPE] = { "pipe", false },
	[WAIT_SOCKET] = { "socket", false },
	[WAIT_ACCEPT] = { "accept", true },
	[WAIT_EVENTFD] = { "event", true },
	[WAIT_SIGNAL] = { "signal", true },
	[WAIT_CHILD] = { "child", true },
	[WAIT_FILE_LOCK] = { "file lock", false },
	[WAIT_MESSAGE] = { "message", true },
	[WAIT_TERMINAL] = { "terminal", true },
	[WAIT_IO] = { "I/O", false },
	[WAIT_FAULT] = { "page fault", false },
	[WAIT_MEMORY] = { "memory", false },
	[WAIT_KERNEL] = { "kernel lock", false },
	[WAIT_RUNNABLE] = { "runnable", false },
	[WAIT_STOPPED] = { "stopped", false },
	[WAIT_NOTHING] = { "no work", true },
	[WAIT_FOR_EVER] = { "ended", false },
	[WAIT_NOT_SAMPLED] = { "not sampled", false },
	[WAIT_NOT_RECORDED] = { "not recorded", false },
};

const char *wait_kind__name(enum wait_kind kind)
{
	return kinds[kind].name;
}

bool wait_kind__may_be_idle(enum wait_kind kind)
{
	return kinds[kind].may_be_idle;
}

/* ---- looking up names ---- */

enum {
	SYNC_FRAMES = 12, /* frames of user space searched for what a futex is for */
	CALL_FRAMES = 3,  /* ... for the wrapper of the system call */
	MAX_METHOD = 512, /* bytes of a Rust name whose type is looked at */
};

/* Return the name without what versions of the C library put in front of it. */
static const char *plain_name(const char *name)
{
	static const char *const prefixes[] = { "GI_", "libc_" };

	name += strspn(name, "_");
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) {
			name += strlen(prefixes[i]);
			name += strspn(name, "_");
		}
	return name;
}

/* Return where T of "<T>::f" or "<T as U>::f" ends, and where its ">" is, or NULL of another name. */
static const char *rust_type_end(const char *name, const char **close)
{
	const char *end = NULL;
	int depth = 0;

	if (*name != '<')
		return NULL;
	for (const char *at = name; *at; at++) {
		if (*at == '<')
			depth++;
		else if (depth == 1 && !end && !strncmp(at, " as ", strlen(" as ")))
			end = at;
		else if (*at == '>' && at[-1] != '-' && !--depth) {
			*close = at;
			return at[1] == ':' ? end ? end : at : NULL;
		}
	}
	return NULL;
}

/* Return "T::f" for a Rust method "<T>::f" or "<T as U>::f", in buf; else name, also if it is too long. */
static const char *plain_method(const char *name, char *buf, size_t size)
{
	const char *end, *close;

	if (*name != '<' || strlen(name) >= size)
		return name;
	strcpy(buf, name);
	while ((end = rust_type_end(buf, &close))) { /* T may be "<V as W>::U" */
		size_t len = (size_t)(end - buf) - 1;

		memmove(buf, buf + 1, len);
		memmove(buf + len, close + 1, strlen(close));
	}
	return buf;
}

/* Is this word of a row the name's? The name may have a version or a suffix of the compiler. */
static bool word__is(const char *word, size_t len, const char *name)
{
	char part[64];

	if (*word != '*')
		return !strncmp(word, name, len) && (!name[len] || name[len] == '@' || name[len] == '.');
	if (len > sizeof(part))
		return false;
	memcpy(part, word + 1, len - 1);
	part[len - 1] = '\0';
	return strstr(name, part);
}

static bool functions__have(const char *word, const char *name)
{
	for (size_t len; *word; word += len + (word[len] == ' ')) {
		len = strcspn(word, " ");
		if (word__is(word, len, name))
			return true;
	}
	return false;
}

/* Is the function of a library that wraps locks? */
static bool is_library(const char *name)
{
	static const char *const beginnings[] = {
		"std::",    "core::", "alloc::", "parking_lot::",  "parking_lot_core::", "lock_api::",
		"gthread_", "gthr_",  "sync.",   "internal/sync.", "runtime.",           "futex_"
	};

	name += strspn(name, "<");
	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

struct wait_frame wait_frame__of(const char *name, bool is_kernel)
{
	const struct wait_row *rows = is_kernel ? kernel_rows : user_rows;
	size_t nr = is_kernel ? ARRAY_SIZE(kernel_rows) : ARRAY_SIZE(user_rows);
	char method[MAX_METHOD];

	if (is_kernel && !*name) /* its names are hidden, or there are none */
		return (struct wait_frame){ WAIT_NONE, PLACE_SCHEDULER, true };
	if (!is_kernel)
		name = plain_method(plain_name(name), method, sizeof(method));
	for (size_t i = 0; i < nr; i++)
		if (functions__have(rows[i].functions, name))
			return (struct wait_frame){ (u8)rows[i].kind, (u8)rows[i].place, is_kernel,
						    (u8)rows[i].lock, rows[i].is_own };
	return (struct wait_frame){ .place = !is_kernel && is_library(name) ? PLACE_LIBRARY : PLACE_UNKNOWN,
				    .is_kernel = is_kernel };
}

/* ---- the kind of a wait ---- */

/* Return the number of frames of the kernel; set w to what they say. */
static u32 wait__look_at_kernel(struct wait *w, const struct wait_frame *frames, u32 nr)
{
	bool is_decided = false;
	u32 i = 0;

	for (; i < nr && frames[i].is_kernel; i++) {
		const struct wait_frame *f = &frames[i];

		if (f->place == PLACE_SCHEDULER && w->nr_inner == i)
			w->nr_inner++;
		if (is_decided)
			continue;
		is_decided = f->place == PLACE_LEAF && w->kind == WAIT_NONE;
		if (is_decided || f->place == PLACE_KERNEL ||
		    (f->place == PLACE_THREAD && w->kind == WAIT_NONE))
			w->kind = f->kind;
		if (is_decided || f->place == PLACE_KERNEL)
			w->nr_inner = i + 1;
	}
	return i;
}

/* Frames from the system call to the one that waits for other threads to do something once. */
enum { ONCE_FRAMES = 3 };

static void wait__look_at_user(struct wait *w, const struct wait_frame *frames, u32 nr, u32 first)
{
	enum wait_kind call = w->kind;
	bool is_decided = false;

	for (u32 i = first; i < MIN(nr, first + CALL_FRAMES) && frames[i].place == PLACE_CALL; i++) {
		if (w->kind == WAIT_NONE)
			call = frames[i].kind;
		if (call != WAIT_OTHER || w->nr_inner >= first)
			w->nr_inner = i;
	}
	w->kind = call;
	if (w->kind != WAIT_NONE && w->kind != WAIT_OTHER && w->kind != WAIT_FUTEX && w->kind != WAIT_LOCK)
		return;
	for (u32 i = first; i < MIN(nr, first + SYNC_FRAMES); i++) {
		const struct wait_frame *f = &frames[i];

		if (f->place != PLACE_SYNC ||
		    (f->lock == LOCK_ONCE && (is_decided || i >= first + ONCE_FRAMES)))
			continue;
		if (is_decided && w->kind == WAIT_LOCK && f->kind != WAIT_LOCK)
			break; /* the wait for a condition ends with one for its mutex */
		w->nr_inner = i;
		w->kind = f->kind;
		w->lock = f->lock;
		w->is_own |= f->is_own;
		is_decided = true;
	}
}

/* A wait for a lock of the kernel, whatever the system call is for; but not for that of a futex. */
static bool wait__find_kernel_lock(struct wait *w, const struct wait_frame *frames, u32 nr_kernel)
{
	u32 i = 0;

	while (i < nr_kernel && frames[i].place == PLACE_SCHEDULER)
		i++;
	if (i == nr_kernel || frames[i].lock < LOCK_KERNEL_MUTEX || w->lock == LOCK_MUTEX)
		return false;
	w->lock = frames[i].lock;
	while (i < nr_kernel && frames[i].lock >= LOCK_KERNEL_MUTEX)
		i++;
	w->named = i;
	return true;
}

/* Find which kind of lock it is, and the function outside of its own ones and of libraries around it. */
static void wait__find_lock(struct wait *w, const struct wait_frame *frames, u32 nr, u32 nr_kernel)
{
	if (wait__find_kernel_lock(w, frames, nr_kernel))
		return;
	if (w->kind == WAIT_FUTEX)
		w->lock = LOCK_FUTEX;
	w->named = nr_kernel < nr ? MAX(w->nr_inner, nr_kernel) : nr;
	while (w->named < nr && frames[w->named].place >= PLACE_SYNC)
		w->named++;
}

struct wait wait__of(const struct wait_frame *frames, u32 nr)
{
	struct wait w = { .kind = WAIT_NONE };
	u32 nr_kernel = wait__look_at_kernel(&w, frames, nr);

	if (w.kind == WAIT_LOCK)
		w.lock = LOCK_MUTEX; /* with priority inheritance */
	if (nr_kernel < nr) {
		if (w.kind == WAIT_NOTHING) /* of a user's task that is new */
			w.kind = WAIT_NONE;
		if (w.kind != WAIT_NONE)
			w.nr_inner = nr_kernel;
		wait__look_at_user(&w, frames, nr, nr_kernel);
	}
	if (w.kind == WAIT_NONE)
		w.kind = WAIT_OTHER;
	wait__find_lock(&w, frames, nr, nr_kernel);
	w.nr_inner = MIN(w.nr_inner, nr ? nr - 1 : 0);
	return w;
}

/* ---- locks and wakers ---- */

const char *lock_kind__name(enum lock_kind kind)
{
	static const char *const names[LOCK_NR_KINDS] = {
		[LOCK_NONE] = "",
		[LOCK_MUTEX] = "mutex",
		[LOCK_RWLOCK] = "rwlock",
		[LOCK_ONCE] = "once",
		[LOCK_CONDITION] = "condition variable",
		[LOCK_SEMAPHORE] = "semaphore",
		[LOCK_BARRIER] = "barrier",
		[LOCK_THREAD] = "thread",
		[LOCK_FUTEX] = "futex",
		[LOCK_KERNEL_MUTEX] = "kernel mutex",
		[LOCK_KERNEL_RWLOCK] = "kernel rwlock",
		[LOCK_KERNEL_SEMAPHORE] = "kernel semaphore",
	};

	return names[kind];
}

struct fact_row {
	u32 facts;
	const char *functions;
};

static const struct fact_row kernel_facts[] = {
	{ WAKER_UNLOCKS,
	  "mutex_unlock __mutex_unlock_slowpath ww_mutex_unlock rt_mutex_unlock up_read up_write up "
	  "downgrade_write percpu_up_write __percpu_up_read" },
	{ WAKER_EXITS, "exit_mm_release mm_release" },
	{ WAKER_DIES, "do_exit" },
	{ WAKER_INTERRUPT, "*asm_sysvec_ *asm_common_interrupt *asm_exc_nmi common_interrupt do_IRQ irq_exit "
			   "irq_exit_rcu __irq_exit_rcu el1_interrupt el0_interrupt el1h_64_irq el0t_64_irq "
			   "handle_irq_event generic_handle_arch_irq apic_timer_interrupt run_ksoftirqd" },
	{ WAKER_SOFTIRQ, "do_softirq __local_bh_enable_ip" },
	{ WAKER_SENDS,
	  "__sys_sendto __sys_sendmsg ___sys_sendmsg __sys_sendmmsg sock_sendmsg sock_write_iter "
	  "__sock_sendmsg __sys_connect __sys_shutdown __sock_release sock_close tcp_sendmsg "
	  "udp_sendmsg splice_to_socket" },
	{ WAKER_KERNEL_THREAD, "kthread" },
	{ WAKER_TIMER, "hrtimer_interrupt hrtimer_run_queues __hrtimer_run_queues hrtimer_run_softirq "
		       "run_timer_softirq __run_timers hrtimer_wakeup process_timeout" },
	{ WAKER_DISK,
	  "blk_mq_end_request blk_mq_complete_request blk_done_softirq blk_complete_reqs bio_endio "
	  "nvme_irq virtblk_done scsi_io_completion blk_update_request" },
	{ WAKER_NETWORK, "net_rx_action __napi_poll napi_poll net_tx_action" },
};

static const struct fact_row user_facts[] = {
	{ WAKER_UNLOCKS,
	  "pthread_rwlock_unlock pthread_mutex_unlock runtime.unlock2 *RwLock::wake_writer_or_readers "
	  "*RwLock::read_unlock *RwLock::write_unlock *RwLock::downgrade_slow "
	  "*RawRwLock::unlock_shared_slow *RawRwLock::unlock_exclusive_slow "
	  "*RawRwLock::downgrade_slow" },
};

u32 waker_facts__of(const char *name, bool is_kernel)
{
	const struct fact_row *rows = is_kernel ? kernel_facts : user_facts;
	size_t nr = is_kernel ? ARRAY_SIZE(kernel_facts) : ARRAY_SIZE(user_facts);
	char method[MAX_METHOD];
	u32 facts = 0;

	if (!is_kernel)
		name = plain_method(plain_name(name), method, sizeof(method));
	for (size_t i = 0; i < nr; i++)
		if (functions__have(rows[i].functions, name))
			facts |= rows[i].facts;
	return facts;
}

// Waits whose truth is known (see steps.h, which is linked), for locks of Rust's library:
// locks CASE FILE [ROUNDS], or rate-CASE FILE [TIMES US].
use std::cell::RefCell;
use std::ffi::CString;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

type Take = unsafe extern "C" fn(*mut c_void);
type Try = unsafe extern "C" fn(*mut c_void) -> c_int;

#[repr(C)]
struct Lock {
    name: *const c_char,
    kind: *const c_char,
    object: *mut c_void,
    try_take: Option<Try>,
    take: Option<Take>,
    let_go: Option<Take>,
    try_share: Option<Try>,
    share: Option<Take>,
}

#[repr(C)]
struct Run {
    file: *const c_char,
    locks: *mut Lock,
    nr_threads: c_int,
    processes: c_int,
    other_process: *const c_void,
}

#[repr(C)]
struct Step {
    thread: c_int,
    at_ms: c_int,
    kind: c_int,
    lock: c_int,
    hold_ms: c_int,
}

const STEP_WAIT: c_int = 4;
const STEP_SIGNAL: c_int = 5;

extern "C" {
    fn run_steps(r: *const Run, steps: *const Step, nr: c_int, rounds: c_int, round_ms: c_int) -> c_int;
    fn run_rate(r: *const Run, times: c_int, hold_us: c_int) -> c_int;
    fn run_contended(r: *const Run, rounds: c_int) -> c_int;
    fn run_readers(r: *const Run, rounds: c_int) -> c_int;
}

struct Pool {
    lock: Mutex<u64>,
}

struct Mailbox {
    is_full: Mutex<bool>,
    arrived: Condvar,
}

static BIG_LOCK: Mutex<u64> = Mutex::new(0);
static POOL: Pool = Pool { lock: Mutex::new(0) };
static BOARD: RwLock<u64> = RwLock::new(0);
static MAILBOX: Mailbox = Mailbox { is_full: Mutex::new(false), arrived: Condvar::new() };

enum Held {
    Mutex(*const Mutex<u64>, MutexGuard<'static, u64>),
    Read(RwLockReadGuard<'static, u64>),
    Write(RwLockWriteGuard<'static, u64>),
}

// What this thread holds.
thread_local!(static HELD: RefCell<Vec<Held>> = RefCell::new(Vec::new()));

fn hold(h: Held) {
    HELD.with(|all| all.borrow_mut().push(h));
}

unsafe extern "C" fn try_take(m: *mut c_void) -> c_int {
    let m = &*(m as *const Mutex<u64>);
    m.try_lock().map(|g| hold(Held::Mutex(m, g))).is_ok() as c_int
}

#[inline(never)]
unsafe extern "C" fn take(m: *mut c_void) {
    let m = &*(m as *const Mutex<u64>);
    hold(Held::Mutex(m, m.lock().unwrap()));
}

unsafe extern "C" fn let_go(m: *mut c_void) {
    let is_it = |h: &Held| matches!(h, Held::Mutex(of, _) if *of == m as *const Mutex<u64>);
    HELD.with(|all| {
        let mut all = all.borrow_mut();
        let at = all.iter().position(is_it).unwrap();
        drop(all.remove(at));
    });
}

unsafe extern "C" fn try_write(_: *mut c_void) -> c_int {
    BOARD.try_write().map(|g| hold(Held::Write(g))).is_ok() as c_int
}

#[inline(never)]
unsafe extern "C" fn write(_: *mut c_void) {
    hold(Held::Write(BOARD.write().unwrap()));
}

unsafe extern "C" fn try_read(_: *mut c_void) -> c_int {
    BOARD.try_read().map(|g| hold(Held::Read(g))).is_ok() as c_int
}

#[inline(never)]
unsafe extern "C" fn read(_: *mut c_void) {
    hold(Held::Read(BOARD.read().unwrap()));
}

unsafe extern "C" fn let_go_board(_: *mut c_void) {
    HELD.with(|all| match all.borrow_mut().pop() {
        Some(Held::Read(g)) => drop(g),
        Some(Held::Write(g)) => drop(g),
        _ => panic!("the board was not held"),
    });
}

unsafe extern "C" fn try_mail(_: *mut c_void) -> c_int {
    std::mem::replace(&mut *MAILBOX.is_full.lock().unwrap(), false) as c_int
}

#[inline(never)]
unsafe extern "C" fn wait_for_mail(_: *mut c_void) {
    let mut full = MAILBOX.is_full.lock().unwrap();
    while !*full {
        full = MAILBOX.arrived.wait(full).unwrap();
    }
    *full = false;
}

unsafe extern "C" fn send_mail(_: *mut c_void) {
    *MAILBOX.is_full.lock().unwrap() = true;
    MAILBOX.arrived.notify_one();
}

fn text(s: &str) -> *const c_char {
    CString::new(s).unwrap().into_raw()
}

fn lock(name: &str, kind: &str, object: *mut c_void, functions: (Try, Take, Take)) -> Lock {
    Lock {
        name: text(name),
        kind: text(kind),
        object,
        try_take: Some(functions.0),
        take: Some(functions.1),
        let_go: Some(functions.2),
        try_share: None,
        share: None,
    }
}

fn none() -> Lock {
    let mut l = lock("", "", null_mut(), (try_take, take, let_go));
    l.name = null();
    l
}

unsafe extern "C" fn run_mail(r: *const Run, rounds: c_int) -> c_int {
    let steps = [
        Step { thread: 0, at_ms: 0, kind: STEP_WAIT, lock: 0, hold_ms: 0 },
        Step { thread: 1, at_ms: 5, kind: STEP_SIGNAL, lock: 0, hold_ms: 0 },
    ];
    run_steps(r, steps.as_ptr(), 2, rounds, 10)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize, default: c_int| args.get(i).map_or(default, |a| a.parse().unwrap());
    if args.len() < 3 {
        eprintln!("usage: locks-rs [rate-]mutex|rwlock|condition FILE [NUMBER...]");
        std::process::exit(2);
    }
    let is_rate = args[1].starts_with("rate-");
    let mutex = |name, m: &Mutex<u64>| {
        lock(name, "mutex", m as *const _ as *mut c_void, (try_take, take, let_go))
    };
    type Play = unsafe extern "C" fn(*const Run, c_int) -> c_int;
    let (mut locks, play): (Vec<Lock>, Play) = match args[1].trim_start_matches("rate-") {
        "mutex" => (vec![mutex("locks::BIG_LOCK", &BIG_LOCK), mutex("locks::POOL.lock", &POOL.lock)], run_contended),
        "rwlock" => {
            let mut board = lock("locks::BOARD", "rwlock", null_mut(), (try_write, write, let_go_board));
            board.try_share = Some(try_read);
            board.share = Some(read);
            (vec![board], run_readers)
        }
        "condition" => {
            let mail = lock("locks::MAILBOX.arrived", "condition", null_mut(), (try_mail, wait_for_mail, send_mail));
            (vec![mail], run_mail)
        }
        _ => panic!("unknown case"),
    };
    locks.resize_with(4, none);
    let r = Run { file: text(&args[2]), locks: locks.as_mut_ptr(), nr_threads: 4, processes: 1, other_process: null() };
    std::process::exit(unsafe {
        if is_rate { run_rate(&r, number(3, 20000), number(4, 50)) } else { play(&r, number(3, 25)) }
    });
}

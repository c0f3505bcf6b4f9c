// A server in Rust (see requests.h, which is linked). Shapes: plain; throws: of 50 requests, one panics through
// handle_request.
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_double, c_int, c_void};
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};

const THROWN: c_int = 1;

#[repr(C)]
#[derive(Default)]
struct Request {
    begin: u64,
    end: u64,
    cause: c_int,
    outcome: c_int,
    planted_ns: u64,
    hash_ns: u64,
    wait_ns: u64,
    cpu_ns: u64,
    random: u64,
    depth: c_int,
    hash_rounds: c_int,
}

#[repr(C)]
struct Opts {
    shape: *const c_char,
    causes: u32,
    file: *const c_char,
    seconds: c_double,
    seed: u64,
    rate: c_double,
    is_short: c_int,
    is_clocked: c_int,
    is_varied: c_int,
}

extern "C" {
    fn requests__init(o: *mut Opts, argc: c_int, argv: *const *const c_char) -> c_int;
    fn requests__run(o: *const Opts, serve: unsafe extern "C" fn(*mut c_void)) -> c_int;
    fn worker__next(w: *mut c_void, r: *mut Request) -> c_int;
    fn worker__done(w: *mut c_void, r: *const Request);
    fn now_ns() -> u64;
    fn do_request(r: *mut Request);
}

static mut THROWS: bool = false;

#[inline(never)]
fn refuse(r: &mut Request) {
    r.outcome = THROWN;
    panic!("refused");
}

#[inline(never)]
fn handle_request(r: &mut Request) -> u64 {
    unsafe {
        r.begin = now_ns();
        do_request(r);
        if THROWS && r.random % 50 == 0 {
            refuse(r);
        }
        r.end = now_ns();
    }
    r.end
}

unsafe extern "C" fn serve(w: *mut c_void) {
    let mut r = Request::default();
    while worker__next(w, &mut r) != 0 {
        if catch_unwind(AssertUnwindSafe(|| std::hint::black_box(handle_request(&mut r)))).is_err() {
            r.end = now_ns();
        }
        worker__done(w, &r);
    }
}

fn main() {
    set_hook(Box::new(|_| {}));
    let args: Vec<CString> = std::env::args().map(|a| CString::new(a).unwrap()).collect();
    let argv: Vec<*const c_char> = args.iter().map(|a| a.as_ptr()).collect();
    let status = unsafe {
        let mut o: Opts = std::mem::zeroed();
        let mut status = requests__init(&mut o, argv.len() as c_int, argv.as_ptr());
        if status == 0 {
            THROWS = CStr::from_ptr(o.shape).to_bytes() == b"throws";
            status = requests__run(&o, serve);
        }
        status
    };
    std::process::exit(status);
}

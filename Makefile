# Build, test and install perf. `make help` lists the targets and variables.

# As many jobs as there are processors, unless -j is given, or several targets, whose order may matter.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS))$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += $(shell case $$MAKEFLAGS in (*-j*) ;; (*) echo "-j$$(nproc || echo 2)" ;; esac)
endif

# ---- variables for the command line ----
O ?=                    # out-of-tree build: the folder that gets perf and all intermediate files
CFLAGS ?= -O2 -g
CXXFLAGS ?= -O2 -g
OBJCOPY ?= objcopy
PREFIX ?= /usr/local
bindir ?= $(PREFIX)/bin
mandir ?= $(PREFIX)/share/man
docdir ?= $(PREFIX)/share/doc/$(strip $(INSTALL_NAME))
datadir ?= $(PREFIX)/share/$(strip $(INSTALL_NAME))
bashcompdir ?= $(PREFIX)/share/bash-completion/completions
zshcompdir ?= $(PREFIX)/share/zsh/site-functions
fishcompdir ?= $(PREFIX)/share/fish/vendor_completions.d
INSTALL_NAME ?= perf    # the name of the installed program, for systems that have another perf
DESTDIR ?=
SANITIZE ?=             # for example address,undefined
STATIC ?=               # 1: link the libraries statically, except libc, libcurl, libarchive, libdebuginfod
WERROR ?=               # 1: warnings are errors
V ?=                    # 1: show the commands
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif

OUT := $(or $(patsubst %/,%,$(strip $(O))),.)
BUILD := $(OUT)/build
PERF := $(OUT)/perf
Q := $(if $(filter 1,$(strip $(V))),,@)
say = $(if $(Q),@echo "  $(1)")

comma := ,

# ---- files, by glob: a new source file needs no edit here ----
MAIN_SRC := perf.c $(sort $(wildcard builtin*.c))
LIB_SRC := $(sort $(wildcard util/*/*.c util/*/*/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
MAIN_OBJ := $(MAIN_SRC:%.c=$(BUILD)/%.o)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
UNIT_OBJ := $(UNIT_SRC:%.c=$(BUILD)/%.o)
UNIT_BIN := $(UNIT_SRC:%.c=$(BUILD)/%)
MAN1 := perf.1 $(sort $(wildcard Documentation/*.1))
SHARE := $(sort $(wildcard share/*/*.sql share/*/*/*.sql share/systemd/*))
DOCS := README.md CHANGELOG.md CONTRIBUTING.md $(sort $(wildcard Documentation/*.md Documentation/*.json))

.PHONY: all
all: $(PERF)

# ---- the compiler and libraries of this machine: config.mk, written by tools/configure ----
# Checked in every build, rewritten only when something changed. demo, check, bench and deps install missing
# packages if they can; the other targets print what to type.
NO_CONFIG := clean distclean help check-layers check-format uninstall
ifneq ($(filter-out $(NO_CONFIG),$(or $(MAKECMDGOALS),all)),)
export CC CXX
$(BUILD)/config.mk: FORCE
	@mkdir -p $(@D)
	@sh tools/configure $(if $(filter demo check check-fuzz bench deps unit,$(MAKECMDGOALS)),--install) $@
# An empty one: make would complain about a missing file after the line that says what to type.
$(if $(wildcard $(BUILD)/config.mk),,$(shell mkdir -p $(BUILD) && touch $(BUILD)/config.mk))
include $(BUILD)/config.mk
endif

WARNINGS := -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wwrite-strings -Wundef -Wformat=2 -Wno-format-nonliteral -Wno-missing-field-initializers
sanitize := $(strip $(SANITIZE))
SANITIZE_FLAGS := $(if $(sanitize),-fsanitize=$(sanitize) -fno-sanitize-recover=all -DBUGS_ARE_FATAL)
# Keep frame pointers, so that perf itself can be profiled. Export nothing, except with a sanitizer: libraries
# must not find functions of perf or of static libraries by name.
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Iutil -I. $(CONFIG_CPPFLAGS) $(if $(static),-DLINK_LIBRARIES) $(CPPFLAGS) $(WARNINGS) \
	$(if $(filter 1,$(strip $(WERROR))),-Werror) -fno-omit-frame-pointer -fvisibility=hidden -pthread \
	$(SANITIZE_FLAGS) $(CFLAGS)
ALL_LDFLAGS = -pthread $(or $(SANITIZE_FLAGS),-Wl$(comma)--exclude-libs$(comma)ALL) $(LDFLAGS)
# With STATIC=1, optional libraries are linked instead of loaded (base/system/library.h).
static := $(filter 1,$(strip $(STATIC)))
STATIC_LIBS = $(filter-out -larchive -lcurl -lunwind% -l%pthread,$(CONFIG_LIBS) \
	$(shell pkg-config --static --libs-only-l libdw libelf 2>/dev/null))
ALL_LIBS = $(if $(static),-Wl$(comma)-Bstatic$(comma)--start-group $(STATIC_LIBS) -Wl$(comma)--end-group$(comma)-Bdynamic,\
	-Wl$(comma)--as-needed $(CONFIG_LIBS)) $(LDLIBS) -lm

# Files that contain a command line and change only with it, so that targets built with another one are
# rebuilt.
define remember
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(1))' > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi
endef
$(BUILD)/compile.flags: FORCE
	$(call remember,$(CC) $(ALL_CFLAGS))
$(BUILD)/link.flags: FORCE
	$(call remember,$(CC) $(ALL_LDFLAGS) $(ALL_LIBS) $(MAIN_OBJ))
# The same for the list of library files: a removed source file leaves the archive.
$(BUILD)/lib.list: FORCE
	$(call remember,$(LIB_OBJ))

$(BUILD)/version.h: FORCE
	$(call remember,#define PERF_VERSION "$(shell sh tools/version --commit)")

# ---- the program ----
$(BUILD)/%.o: %.c $(BUILD)/compile.flags
	@mkdir -p $(@D)
	$(call say,CC      $<)
	$(Q)$(CC) $(ALL_CFLAGS) $(CFLAGS_$(<:.c=)) -MMD -MP -c -o $@ $<

$(BUILD)/builtin-version.o: $(BUILD)/version.h
$(BUILD)/builtin-version.o: CFLAGS_builtin-version = -include $(BUILD)/version.h

# The page of report --html: modules, style and template of web/, joined (tools/join-page), are part of perf.
PAGE := $(BUILD)/web
$(PAGE)/head.html: tools/join-page $(wildcard web/*)
	$(call say,PAGE    $@)
	$(Q)sh tools/join-page web $(PAGE)
$(BUILD)/util/export/page_parts.o: $(PAGE)/head.html
$(BUILD)/util/export/page_parts.o: CFLAGS_util/export/page_parts = -DPAGE_DIR='"$(abspath $(PAGE))"'

$(BUILD)/libutil.a: $(LIB_OBJ) $(BUILD)/lib.list
	$(call say,AR      $@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(LIB_OBJ)

$(PERF): $(MAIN_OBJ)

# The one link rule: of perf, and of the programs of tests, each from its .o file and what else it depends on.
TEST_BIN := $(addprefix $(BUILD)/tests/,hostile/recordings hostile/variants code/list code/costs code/ends diff/calibrate \
	diff/resample diff/pool diff/clocked diff/pairs diff/spans stacks/chains stacks/code_rows locks/spans spans/list \
	spans/calibrate \
	stress/load stress/watch bench/unwind bench/grow bench/rings)
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_BIN := $(FUZZ_SRC:%.c=$(BUILD)/%)
$(UNIT_BIN) $(TEST_BIN) $(FUZZ_BIN): %: %.o
$(PERF) $(UNIT_BIN) $(TEST_BIN) $(FUZZ_BIN): $(BUILD)/libutil.a $(BUILD)/link.flags
	$(call say,LINK    $@)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/libutil.a $(ALL_LDFLAGS) $(LINK_FIRST) $(ALL_LIBS)

# ---- tests ----
.PHONY: unit check check-kernel check-layers bench
# An unused function is a test that is missing in the list. Optimizing them takes twice the time of compiling them.
$(UNIT_OBJ): private ALL_CFLAGS += -Werror=unused-function -U_FORTIFY_SOURCE -O0
$(UNIT_BIN): private LINK_FIRST := -Wl,--as-needed -lcmocka

# Without cmocka there are no unit tests, and the runner says so.
unit: $(if $(HAVE_CMOCKA),$(UNIT_BIN))

# Writes recordings with everything that a recording may contain: for tests of hostile files, and as fuzzing
# seeds.
RECORDINGS := $(BUILD)/tests/hostile/recordings

# perf as a library, called for each of many damaged recordings.
VARIANTS := $(BUILD)/tests/hostile/variants
$(BUILD)/tests/hostile/perf_main.o: $(BUILD)/perf.o
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) --redefine-sym main=perf_main $< $@
$(VARIANTS): $(BUILD)/tests/hostile/perf_main.o $(filter-out $(BUILD)/perf.o,$(MAIN_OBJ))

# perf on a machine with many CPUs: a part of the program stands in for the kernel.
BENCH_RINGS := $(BUILD)/tests/bench/rings
$(BENCH_RINGS): $(BUILD)/tests/hostile/perf_main.o $(filter-out $(BUILD)/perf.o,$(MAIN_OBJ))
$(BENCH_RINGS): private ALL_LDFLAGS += $(foreach f,syscall ioctl mmap64 munmap read close dup3 epoll_ctl sysconf pthread_create \
	limits__online_cpus,-Wl$(comma)--wrap=$(f))

# Compares what perf reads of the instructions of whole libraries with objdump, and the costs and lines of programs with
# raw samples and eu-addr2line; not part of check.
.PHONY: check-code
CODE_LIST := $(BUILD)/tests/code/list
CODE_COSTS := $(BUILD)/tests/code/costs
CODE_ENDS := $(BUILD)/tests/code/ends
check-code: $(PERF) $(CODE_LIST) $(CODE_COSTS) $(CODE_ENDS)
	@sh tests/code/run $(abspath $(CODE_LIST)) $(FILES)
	@sh tests/code/returns $(abspath $(CODE_ENDS)) $(FILES)
	@sh tests/code/lines $(abspath $(PERF)) $(abspath $(CODE_COSTS))

# Whether the verdicts of perf diff are as certain as they say: simulated programs, with REAL=N also recordings.
.PHONY: check-diff
CALIBRATE := $(BUILD)/tests/diff/calibrate
RESAMPLE := $(BUILD)/tests/diff/resample
POOL := $(BUILD)/tests/diff/pool
CLOCKED := $(BUILD)/tests/diff/clocked
PAIRED := $(BUILD)/tests/diff/pairs
LATENCIES := $(BUILD)/tests/diff/spans
check-diff: $(PERF) $(CALIBRATE) $(RESAMPLE) $(POOL) $(CLOCKED) $(PAIRED) $(LATENCIES)
	@sh tests/diff/run $(abspath $(CALIBRATE) $(RESAMPLE) $(PERF) $(CLOCKED) $(POOL) $(PAIRED) $(LATENCIES))

# Whether git bisect run finds a slow commit with the script of howto-bisect.md; not part of check.
.PHONY: check-bisect
check-bisect: $(PERF)
	@CC='$(CC)' TRIES='$(TRIES)' SEED='$(SEED)' KEEP='$(KEEP)' sh tests/bisect/run $(abspath $(PERF))

# Whether the shares in one recording are true, with sampling rates that vary and without.
.PHONY: check-shares
check-shares: $(PERF)
	@CC='$(CC)' sh tests/diff/shares $(abspath $(PERF))

# What a change of the source touched, as perf diff --git says, against changes that are known.
.PHONY: check-commits
check-commits: $(PERF)
	@CC='$(CC)' CXX='$(CXX)' python3 tests/diff/commits.py $(abspath $(PERF)) $(or $(PAIRS),100) $(or $(PLANTED),20) $(or $(SEED),1)

# Programs that shell tests record, from their lines "program FILE SOURCE FLAG...": one for each SOURCE with its flags,
# whose name is these words with ~ between them. The path of the source is absolute, as debug information has it.
PROGRAMS := $(addprefix $(BUILD)/tests/programs/,$(sort $(shell cat tests/*.sh tests/shell/*.sh | \
	sed -n 's/ *\#.*//; s/^[[:blank:]]*program [^ ]* //p' | tr ' ' '~')))
program_words = $(subst ~, ,$(lastword $(subst /tests/programs/, ,$@)))
.PHONY: programs
programs: $(PROGRAMS)
.SECONDEXPANSION:
$(PROGRAMS): tests/$$(firstword $$(program_words)).c $(BUILD)/compile.flags
	@mkdir -p $(@D)
	$(call say,CC      $(program_words))
	$(Q)$(CC) -o $@ $(abspath $<) $(wordlist 2,99,$(program_words)) || echo "  the tests that need it will say so"

# TESTS: words; run only tests whose name contains one of them. AGAIN=1: see tests/run.
check: check-layers $(PERF) unit $(BENCH_RINGS) $(BUILD)/tests/locks/spans $(BUILD)/demo/demo $(RECORDINGS) $(VARIANTS) programs
	@CC='$(CC)' CXX='$(CXX)' sh tests/run --perf $(PERF) --build $(BUILD) $(if $(AGAIN),--again) $(TESTS)

# Changes FILES one place at a time and prints which changes no unit test notices (tools/mutate); not part of check.
# SAMPLE=n mutants of each file, picked by SEED; JOBS at a time; TESTS: words in the names of the unit tests to run.
.PHONY: mutate
mutate: $(if $(LIST),,unit)
	@python3 tools/mutate --build $(BUILD) --compile '$(CC) $(ALL_CFLAGS)' --link '$(CC) $(ALL_CFLAGS)' \
		--libs '$(ALL_LDFLAGS) -Wl,--as-needed -lcmocka $(ALL_LIBS)' $(if $(SAMPLE),--sample $(SAMPLE)) \
		$(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS)) $(if $(TESTS),--tests '$(TESTS)') \
		$(if $(LINES),--lines $(LINES)) $(if $(LIST),--list) $(FILES)

# Tens of thousands of damaged recordings, in about ten minutes; not part of check, which has a few hundred.
.PHONY: check-corpus
CORPUS := $(abspath $(BUILD))/corpus
check-corpus: $(PERF) $(RECORDINGS) $(VARIANTS)
	@$(MAKE) --no-print-directory O=$(CORPUS) SANITIZE=address,undefined CFLAGS='-O1 -g' $(CORPUS)/build/tests/hostile/variants
	@CUTS='$(CUTS)' FLIPS='$(FLIPS)' SEED='$(SEED)' sh tests/hostile/run $(CORPUS) $(abspath $(PERF)) \
		$(abspath $(RECORDINGS)) $(abspath $(VARIANTS)) $(CORPUS)/build/tests/hostile/variants

# Tests of threads, with the thread sanitizer, which needs address randomization off; not part of check.
.PHONY: check-threads
THREADS := $(abspath $(BUILD))/threads
check-threads:
	@$(MAKE) --no-print-directory O=$(THREADS) SANITIZE=thread CFLAGS='-O1 -g' $(THREADS)/perf $(THREADS)/build/demo/demo
	@rm -f $(THREADS)/race.*
	@CC='$(CC)' CXX='$(CXX)' TSAN_OPTIONS=log_path=$(THREADS)/race setarch -R sh tests/run --perf $(THREADS)/perf \
		--build $(THREADS)/build $(or $(TESTS),report-threads record-threads record-auto-stacks record-overwrite-stacks)
	@! cat $(THREADS)/race.* 2>/dev/null

# In virtual machines with other kernels (see tests/kernel/run); not part of check.
check-kernel: $(PERF)
	@CC='$(CC)' KERNELS='$(KERNELS)' KERNEL_DEB='$(KERNEL_DEB)' KEEP='$(KEEP)' \
		sh tests/kernel/run --perf $(PERF) --build $(BUILD)

# ---- machines with 16 and 64 processors, beside stock perf: a table; CPUS= CASES= STOCK= KEEP= ----
.PHONY: check-cpus
check-cpus: $(PERF)
	@CC='$(CC)' CPUS='$(CPUS)' CASES='$(CASES)' STOCK='$(STOCK)' KEEP='$(KEEP)' \
		sh tests/cpus/run --perf $(PERF) --build $(BUILD)

# ---- call chains of many kinds of programs: a table, and a list of the wrong ones ----
.PHONY: check-stacks
STACKS_BIN := $(BUILD)/tests/stacks/chains $(BUILD)/tests/stacks/code_rows

check-stacks: $(PERF) $(STACKS_BIN)
	@CC='$(CC)' CXX='$(CXX)' sh tests/stacks/run $(abspath $(PERF)) $(abspath $(BUILD)/tests/stacks/chains) $(CASES)

# ---- locks, their holders and the critical path, in programs that know them: a line for each case ----
.PHONY: check-locks
LOCKS_SPANS := $(BUILD)/tests/locks/spans
check-locks: $(PERF) $(LOCKS_SPANS)
	@CC='$(CC)' CXX='$(CXX)' KEEP='$(KEEP)' sh tests/locks/run --perf $(PERF) --build $(BUILD) $(CASES)

# ---- durations of calls and what slow ones have more of, in servers that know it; COUNT= recordings of a case ----
.PHONY: check-spans
SPANS_LIST := $(BUILD)/tests/spans/list
check-spans: $(PERF) $(SPANS_LIST)
	@CC='$(CC)' CXX='$(CXX)' KEEP='$(KEEP)' COUNT='$(COUNT)' SECONDS_EACH='$(SECONDS_EACH)' SEED='$(SEED)' VIEWERS='$(VIEWERS)' \
		sh tests/spans/run --perf $(PERF) --build $(BUILD) $(CASES)

# Whether the reasons that --why names are as certain as they say: simulated programs.
.PHONY: check-why
SPANS_CALIBRATE := $(BUILD)/tests/spans/calibrate
check-why: $(SPANS_CALIBRATE)
	@$(SPANS_CALIBRATE) $(or $(RECORDINGS),200)

# ---- on an emulated arm64 machine (see tests/arm64/run); not part of check, takes 15 minutes ----
.PHONY: check-arm64
check-arm64: $(PERF) $(BUILD)/tests/stacks/chains
	@HOSTCC='$(CC)' PAGE_KB='$(PAGE_KB)' CASES='$(CASES)' TESTS='$(TESTS)' KEEP='$(KEEP)' sh tests/arm64/run --source . --build $(BUILD)

# ---- recording under unusual loads: a table; ends by itself after some minutes ----
.PHONY: check-stress
STRESS_BIN := $(BUILD)/tests/stress/load $(BUILD)/tests/stress/watch
$(BUILD)/tests/stress/load.o: ALL_CFLAGS += -fomit-frame-pointer

check-stress: $(PERF) $(STRESS_BIN)
	@$(if $(COMPARE),CASES='$(CASES)' sh tests/stress/compare $(abspath $(BUILD)/tests/stress) new=$(abspath $(PERF)) $(COMPARE),\
		sh tests/stress/run $(abspath $(PERF)) $(abspath $(BUILD)/tests/stress) $(CASES))

# ---- stock perf's own test scripts, with this perf; packages are downloaded once, into the build folder ----
.PHONY: check-stock-tests
check-stock-tests: $(PERF)
	@CC='$(CC)' SUITES='$(SUITES)' STOCK_ROOT='$(STOCK_ROOT)' MIRROR='$(MIRROR)' \
		bash tests/stock/run --perf $(PERF) --build $(BUILD) $(CASES)

# ---- recordings of this perf in stock perf of other Debian suites, hotspot and samply ----
.PHONY: check-viewers
check-viewers: $(PERF)
	@CC='$(CC)' VIEWERS='$(VIEWERS)' sh tests/viewers/run --perf $(PERF) --build $(BUILD)

# ---- chains and names of language runtimes (node, Python, Erlang, Mono, PHP) with --runtimes; CASES=, COST=rounds ----
.PHONY: check-runtimes
check-runtimes: $(PERF)
	@RUNTIMES='$(RUNTIMES)' COST='$(COST)' sh tests/runtimes/run --perf $(PERF) --build $(BUILD) $(CASES)

# ---- profiles for compilers, in the compilers that read them; CASES= ----
.PHONY: check-pgo
check-pgo: $(PERF)
	@CC='$(CC)' CXX='$(CXX)' sh tests/pgo/run --perf $(PERF) --build $(BUILD) $(CASES)

# ---- run times of programs built with profiles; PROGRAMS='lua xml', GAIN='--rounds 40 --compilers gcc-12' ----
.PHONY: check-pgo-gain
check-pgo-gain: $(PERF)
	@python3 tests/pgo/gain --perf $(PERF) --work $(BUILD)/pgo-gain $(GAIN) $(PROGRAMS)

# ---- the page of report --html, in a browser; tools come from npm, once, into the build folder ----
.PHONY: check-page
check-page: $(PERF) $(BUILD)/demo/demo
	@sh tests/web/run --perf $(PERF) --build $(BUILD)

# ---- pages of large recordings: size, time and memory ----
.PHONY: check-page-large
check-page-large: $(PERF) $(BUILD)/tests/bench/grow
	@CXX='$(CXX)' sh tests/web/large --perf $(PERF) --build $(BUILD)

# ---- one program for machines without the libraries: build/dist/perf-VERSION-MACHINE.tar.gz ----
.PHONY: dist-binary dist-folder check-binary
DIST = $(BUILD)/dist/perf-$(shell sh tools/version --commit)-$(shell uname -m)
dist-binary:
	@rm -rf $(BUILD)/dist
	@$(MAKE) --no-print-directory O=$(BUILD)/binary STATIC=1 DIST_FOLDER=$(abspath $(DIST)) dist-folder
dist-folder: $(PERF)
	$(Q)$(MAKE) --no-print-directory O=$(OUT) STATIC=1 DESTDIR=$(DIST_FOLDER) PREFIX= install >/dev/null
	$(Q)CC='$(CC)' sh tools/dist-binary $(DIST_FOLDER) $(STATIC_LIBS)

check-binary: dist-binary
	@SUITES='$(SUITES)' sh tests/package/binary --build $(BUILD)

# ---- Debian's package, built and used in bare systems (root, debootstrap); not part of check ----
.PHONY: check-package
check-package: $(PERF)
	@SUITES='$(SUITES)' sh tests/package/run --build $(BUILD)

# ---- no warnings of clang; of the compilers of newer suites, in bare systems (root, debootstrap) ----
.PHONY: check-clang check-compilers
CLANG_BUILD := $(abspath $(BUILD))/clang
check-clang:
	@command -v clang >/dev/null || sh tools/deps clang || { echo "check-clang: there is no clang"; exit 2; }
	@$(MAKE) --no-print-directory O=$(CLANG_BUILD) CC=clang CFLAGS='-O1 -g' WERROR=1 $(CLANG_BUILD)/perf unit
	@sh tests/run --perf $(CLANG_BUILD)/perf --build $(CLANG_BUILD)/build unit/

check-compilers:
	@mkdir -p $(BUILD)
	@SUITES='$(SUITES)' sh tests/package/compilers --build $(BUILD)

# ---- perf push to two nodes of ClickHouse, under faults, and the queries; ROUNDS= SEED= RATE_DATA= ----
.PHONY: check-fleet
check-fleet: $(PERF)
	@CC='$(CC)' ROUNDS='$(ROUNDS)' SEED='$(SEED)' RATE_DATA='$(RATE_DATA)' sh tests/fleet/run $(abspath $(PERF))

check-layers:
	@sh tools/check-layers .
.PHONY: check-format
check-format:
	@sh tools/check-format

# ---- fuzzing: tests/fuzz/fuzz_*.c, with libFuzzer if FUZZ_CC is clang, else with random changes ----
FUZZ_SECONDS ?= 60
FUZZ_JOBS ?= 1
FUZZ_CC ?= $(CC)
# TARGETS: words; run only targets whose name contains one of them.
FUZZ_RUN = $(if $(TARGETS),$(foreach t,$(FUZZ_BIN),$(if $(strip $(foreach w,$(TARGETS),$(findstring $(w),$(t)))),$(t))),$(FUZZ_BIN))
is_clang = $(shell $(CC) --version 2>/dev/null | grep -c clang)
fuzz_is_clang = $(shell $(FUZZ_CC) --version 2>/dev/null | grep -c clang)
.PHONY: fuzz fuzz-programs check-fuzz
$(FUZZ_BIN): $(if $(filter 0,$(is_clang)),$(BUILD)/tests/fuzz/files.o)
$(FUZZ_BIN): private LINK_FIRST = $(if $(filter 0,$(is_clang)),,-fsanitize=fuzzer)

fuzz-programs: $(FUZZ_BIN)

# In a separate build: the whole library is compiled to report the reached code to the fuzzer.
fuzz: $(PERF) $(RECORDINGS)
	@$(MAKE) --no-print-directory O=$(BUILD)/fuzz CC='$(FUZZ_CC)' SANITIZE=$(or $(sanitize),address$(comma)undefined) \
		CFLAGS='-O1 -g $(if $(filter 0,$(fuzz_is_clang)),,-fsanitize=fuzzer-no-link)' fuzz-programs
	@PERF=$(abspath $(PERF)) RECORDINGS=$(abspath $(RECORDINGS)) CC='$(CC)' sh tests/fuzz/run -j $(FUZZ_JOBS) \
		$(abspath $(BUILD)/fuzz) $(FUZZ_SECONDS) $(FUZZ_RUN:$(BUILD)/%=$(abspath $(BUILD))/fuzz/build/%)

# Each target for half a minute, two at a time, with clang if it can be installed.
check-fuzz: $(PERF) $(RECORDINGS)
	@command -v clang >/dev/null || sh tools/deps clang || echo "check-fuzz: without clang, inputs are changed by chance"
	@$(MAKE) --no-print-directory FUZZ_CC=$$(command -v clang || echo '$(CC)') FUZZ_JOBS=2 \
		FUZZ_SECONDS=$(if $(filter file,$(origin FUZZ_SECONDS)),30,$(FUZZ_SECONDS)) fuzz

# Measures the library itself; makes large recordings.
BENCH_UNWIND := $(BUILD)/tests/bench/unwind
BENCH_GROW := $(BUILD)/tests/bench/grow

bench: $(PERF) $(BENCH_UNWIND) $(BENCH_GROW) $(BENCH_RINGS) $(BUILD)/demo/demo
	@CC='$(CC)' CXX='$(CXX)' BENCH_UNWIND='$(abspath $(BENCH_UNWIND))' BENCH_GROW='$(abspath $(BENCH_GROW))' \
		BENCH_RINGS='$(abspath $(BENCH_RINGS))' sh tests/bench/run $(abspath $(PERF)) $(CASES)

# ---- compare two builds: their reports of FILES (recordings, folders); without FILES: their recordings ----
.PHONY: compare
compare: $(if $(NEW),,$(PERF))
	@sh tests/compare $(if $(FILES),,--record) '$(OLD)' '$(or $(NEW),$(PERF))' $(FILES)

# ---- the demo: a threaded C++ program with a shared library, recorded and reported ----
DEMO_CXXFLAGS = $(CXXFLAGS) -g -fno-omit-frame-pointer -pthread
.PHONY: demo
$(BUILD)/demo/libgrains.so: demo/grains.cc demo/grains.h
	@mkdir -p $(@D)
	$(call say,CXX     $@)
	$(Q)$(CXX) $(DEMO_CXXFLAGS) -fPIC -shared -o $@ $<

$(BUILD)/demo/demo: demo/demo.cc demo/grains.h $(BUILD)/demo/libgrains.so
	$(call say,CXX     $@)
	$(Q)$(CXX) $(DEMO_CXXFLAGS) -o $@ $< -L$(@D) -lgrains -Wl,-rpath,'$$ORIGIN'

demo: $(PERF) $(BUILD)/demo/demo
	$(PERF) record -g -o $(BUILD)/demo.data $(BUILD)/demo/demo
	$(PERF) report --html -o $(BUILD)/demo.html -i $(BUILD)/demo.data
	@if [ -t 0 ] && [ -t 1 ]; then set -x; $(PERF) --no-pager report -i $(BUILD)/demo.data; else set -x; \
		$(PERF) report --no-children -g none --percent-limit 3 -i $(BUILD)/demo.data; fi
	@echo "The same as a page for a web browser: $(BUILD)/demo.html"
	@echo "Again: $(PERF) report -i $(BUILD)/demo.data"

# ---- the rest ----
.PHONY: deps install uninstall clean distclean help FORCE
# Making config.mk installs the packages.
deps:
	@echo "everything perf can use is installed, or was named above"

# With another INSTALL_NAME, manual pages and completions have that name, too, and the pages refer to each other by it.
NAME := $(strip $(INSTALL_NAME))
PAGES := $(MAN1:%.1=%)
named = $(DESTDIR)$(mandir)/man1/$(patsubst perf%,$(NAME)%,$(notdir $(1))).1
COMPLETIONS := $(bashcompdir)/$(NAME) $(zshcompdir)/_$(NAME) $(fishcompdir)/$(NAME).fish
install: $(PERF)
	install -d $(addprefix $(DESTDIR),$(bindir) $(mandir)/man1 $(docdir) $(bashcompdir) $(zshcompdir) $(fishcompdir))
	install -m 755 $(PERF) $(DESTDIR)$(bindir)/$(NAME)
	install -m 644 $(DOCS) LICENSE $(DESTDIR)$(docdir)
	@umask 022; $(foreach p,$(PAGES),sed -e '/^\.BR perf\(\\-[a-z\-]*\)* (1)/s/perf/$(NAME)/' $(p).1 >$(call named,$(p)) &&) :
	sed 's/^complete \(.*\) perf$$/complete \1 $(NAME)/' tools/completion/perf.bash >$(DESTDIR)$(bashcompdir)/$(NAME)
	sed '1s/perf/$(NAME)/' tools/completion/perf.zsh >$(DESTDIR)$(zshcompdir)/_$(NAME)
	sed 's/^complete -c perf/complete -c $(NAME)/' tools/completion/perf.fish >$(DESTDIR)$(fishcompdir)/$(NAME).fish
	chmod 644 $(addprefix $(DESTDIR),$(COMPLETIONS))
	for f in $(SHARE:share/%=%); do install -D -m 644 share/$$f $(DESTDIR)$(datadir)/$$f || exit; done

uninstall:
	rm -f $(DESTDIR)$(bindir)/$(NAME)
	rm -f $(foreach p,$(PAGES),$(call named,$(p)))
	rm -f $(addprefix $(DESTDIR),$(COMPLETIONS))
	rm -f $(addprefix $(DESTDIR)$(docdir)/,$(notdir $(DOCS)) LICENSE)
	-rmdir $(DESTDIR)$(docdir)
	rm -f $(SHARE:share/%=$(DESTDIR)$(datadir)/%)
	rmdir $(addprefix $(DESTDIR)$(datadir),/clickhouse/queries /clickhouse /systemd) $(DESTDIR)$(datadir) 2>/dev/null || :

clean distclean:
	rm -rf $(BUILD) $(PERF)

help:
	@echo "all           build perf (the default)"
	@echo "demo          build, record a small program, browse its report, write it as a page"
	@echo "check         layers, unit tests and shell tests; TESTS='word ...' for some of them"
	@echo "check-fuzz    give parsers odd input, half a minute each; a table of what was reached and found"
	@echo "check-kernel  perf on three other kernels, in virtual machines (qemu; 2 minutes); KERNELS='6.1'"
	@echo "check-cpus    machines with 16 and 64 processors, beside stock perf (qemu; an hour); CPUS='16' CASES= STOCK= KEEP="
	@echo "check-arm64   perf on an emulated arm64 machine (qemu; a quarter of an hour); PAGE_KB=16 CASES= TESTS= KEEP="
	@echo "check-diff    how certain the verdicts of perf diff are; PAIRS=n simulated, REAL=n recorded pairs"
	@echo "check-commits what a change of the source touched, as diff --git says; PAIRS= PLANTED= SEED="
	@echo "check-bisect  git bisect run finds the commit that made a function slower (git); TRIES= SEED= KEEP="
	@echo "check-runtimes chains and names of node, Python, Erlang, Mono and PHP with --runtimes; CASES= RUNTIMES= COST=rounds"
	@echo "check-shares  whether shares in one recording are true; RUNS= MS='ms ...' OPTIONS='of record' LOAD=n FREQ="
	@echo "check-binary  dist-binary's program in bare systems; SUITES='bookworm trixie'"
	@echo "check-clang   clang compiles perf and the unit tests without a warning, and these pass"
	@echo "check-compilers  the same with gcc and clang of newer suites, in bare systems; SUITES='trixie sid'"
	@echo "check-code    instructions against objdump's, lines against addr2line's; FILES='file ...'"
	@echo "check-corpus  damaged recordings through report, with sanitizers; CUTS= FLIPS= SEED="
	@echo "check-fleet   perf push to two nodes of ClickHouse, under faults, and the queries; ROUNDS= SEED= RATE_DATA="
	@echo "check-format  the C sources are formatted as .clang-format says (clang-format 14)"
	@echo "check-layers  the #include lines point downwards only"
	@echo "check-locks   which lock, who held it, and the critical path, in programs that know it; CASES='word ...' KEEP="
	@echo "check-package Debian's package: built, installed beside linux-perf, used, removed; SUITES='bookworm trixie'"
	@echo "check-page    the page of report --html in headless Chromium, and its modules' types (npm)"
	@echo "check-pgo     profiles for compilers, in the compilers that read them: CASES='autofdo bolt'"
	@echo "check-pgo-gain  run times of programs that compilers build with our profiles: PROGRAMS='lua xml' GAIN='--rounds 40'"
	@echo "check-page-large  pages of large recordings: size, time and memory, beside speedscope's"
	@echo "check-spans   durations of calls, and why some are slow, in servers that know it; CASES='word ...' COUNT= KEEP="
	@echo "check-stacks  call chains of programs of many kinds; CASES='word ...' for some of them"
	@echo "check-stock-tests  stock perf's own test scripts, with this perf; CASES='word ...' SUITES='trixie sid'"
	@echo "check-stress  recording under heavy load, and what gets lost; CASES='word ...' for some of it;"
	@echo "              COMPARE='old=PERF fp=STOCK dwarf=STOCK' for a table of several perfs"
	@echo "check-threads  with the thread sanitizer, tests of what has threads; TESTS='word ...' for others"
	@echo "check-viewers our recordings and exports in newer stock perfs, hotspot, samply, speedscope, perf2bolt: downloaded once"
	@echo "check-why     how certain the reasons of --why are; RECORDINGS=n of each simulated program"
	@echo "compare       reports of two builds, byte for byte: OLD=perf FILES='recording ...'; no FILES: what they record"
	@echo "bench         measure speed"
	@echo "mutate        changes of FILES that no unit test notices; SAMPLE=n SEED=s JOBS=n TESTS='word ...' LINES=a-b LIST=1"
	@echo "fuzz          the same for FUZZ_SECONDS each, FUZZ_JOBS at a time; FUZZ_CC=clang does it best; TARGETS='word ...'"
	@echo "dist-binary   one program for machines without the libraries, packed: build/dist/perf-*.tar.gz"
	@echo "deps          install what perf needs and can use (Debian; as root)"
	@echo "install       to PREFIX ($(PREFIX)), under DESTDIR, as INSTALL_NAME ($(NAME)); uninstall"
	@echo "clean         remove what was built"
	@echo "O=dir  CC=  CFLAGS=  SANITIZE=address,undefined  WERROR=1  V=1"

FORCE:

# Keep the unit tests' objects; delete incomplete files.
.SECONDARY:
.DELETE_ON_ERROR:

-include $(MAIN_OBJ:.o=.d) $(LIB_OBJ:.o=.d) $(wildcard $(BUILD)/tests/*/*.d)

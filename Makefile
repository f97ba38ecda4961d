# SPDX-License-Identifier: MIT
# GNU make. `make help` lists the targets. Every output goes to build/, or to build/debug, build/asan or build/tsan.

BUILD = release
CC = gcc
CFLAGS =
PREFIX = /usr/local
LIBDIR = $(PREFIX)/lib
DESTDIR =
OBJCOPY = objcopy
FUZZ_SECONDS = 60
# Options of `make bench-peers` and `make bench-plots`. bench/peers/measure.py --help and bench/plots.py --help list them.
BENCH =

VERSION := $(shell cat VERSION)
# The date of that version, as manual pages write it: June 9, 2026.
DATE := $(shell LC_ALL=C date -d "$$(sed -n 's/^\#\# .*, //p' CHANGELOG.md | head -n 1)" '+%B %-d, %Y')
SONAME := libevenkeel.so.$(firstword $(subst ., ,$(VERSION)))
LIBRARIES := lapacke lapack blas arpack hwloc liburcu liburcu-qsbr nettle jansson
# The libraries that only lab/ and cli/ need.
COMMAND_LIBRARIES := sqlite3 libzstd inih libxxhash gsl
# PAPI is optional and reads hardware counters. ThreadSanitizer does not see its locks.
ifneq ($(BUILD),tsan)
PAPI := $(shell pkg-config --exists papi 2>/dev/null && echo papi)
endif

# libpng is optional and writes the pictures of tasks.
PNG := $(shell pkg-config --exists libpng 2>/dev/null && echo libpng)
# Brotli is optional and reads compressed files of objects.
BROTLI := $(shell pkg-config --exists libbrotlidec 2>/dev/null && echo libbrotlidec)

# Open MPI is optional and carries ranks. Its code is a shared object that the command loads for `--carrier mpi`.
MPI := $(shell pkg-config --exists ompi-c 2>/dev/null && echo ompi-c)
# METIS is optional and cuts general graphs into ranks' parts. It has no file for pkg-config.
METIS := $(if $(MPI),$(shell printf '\043include <metis.h>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo -lmetis))

ifeq ($(filter release debug asan tsan fuzz,$(BUILD)),)
$(error BUILD is '$(BUILD)': choose release, debug, asan, tsan or fuzz)
endif
out := $(if $(filter release,$(BUILD)),build,build/$(BUILD))

# -g1 has the lines of a backtrace and builds faster than -g.
MODE_release = -O3 -g1
MODE_debug = -O0 -g3
# `undefined` does not include conversions of numbers that the integer cannot hold.
UNDEFINED = undefined,float-cast-overflow
# -g1 is enough for the function and the line that a sanitizer reports.
MODE_asan = -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,$(UNDEFINED) -fno-sanitize-recover=$(UNDEFINED)
MODE_tsan = -O1 -g1 -fno-omit-frame-pointer -fsanitize=thread
# clang also reports an offset that is added to NULL: arrays that a run does not need are NULL, and such a sum is never
# dereferenced.
CLANG := $(findstring clang,$(CC))
ifneq ($(CLANG),)
MODE_asan += -fno-sanitize=pointer-overflow
endif
MODE_fuzz = -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,$(UNDEFINED) -Wno-error
FLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
        -ffp-contract=off -fvisibility=hidden -fPIC $(MODE_$(BUILD))
# Random123's vectors are not used, and their headers take longer to compile than most files here.
INCLUDES := -I. -DR123_USE_SSE=0 $(patsubst -I%,-isystem%,$(shell pkg-config --cflags-only-I $(LIBRARIES) $(PAPI) $(BROTLI) $(COMMAND_LIBRARIES) $(PNG) 2>/dev/null)) \
            -DEK_VERSION='"$(VERSION)"' -DCLI_DATE='"$(DATE)"' $(if $(PAPI),-DHOST_WITH_PAPI) $(if $(BROTLI),-DCARGO_WITH_BROTLI)
LIBS := -Wl,--as-needed $(shell pkg-config --libs $(LIBRARIES) $(PAPI) $(BROTLI) 2>/dev/null) -lm -pthread
COMMAND_LIBS := $(shell pkg-config --libs $(COMMAND_LIBRARIES) $(PNG) 2>/dev/null)
CRITERION := $(shell pkg-config --libs criterion 2>/dev/null)
# The name of the libgit2 that Criterion loads. Tests find tests/support/criterion/no_git.c by this name instead, and start
# faster. A runpath would not apply to what Criterion loads.
GIT := $(shell readelf -d "$$($(CC) -print-file-name=libcriterion.so)" 2>/dev/null | sed -n 's/.*\[\(libgit2\.so[^]]*\)]/\1/p')
NO_GIT := $(if $(GIT),$(out)/tests/support/criterion/$(GIT))
ifneq ($(GIT),)
CRITERION += -Wl,--disable-new-dtags,-rpath,$(CURDIR)/$(dir $(NO_GIT))
endif

# The installed headers. evenkeel.h is threads/api/evenkeel.h with each include replaced by the file. The others are the fast loops
# for methods that a program adds, and what they include.
PUBLIC := $(out)/include/evenkeel.h $(addprefix $(out)/include/evenkeel/,cargo.h block.h lanes.h wide.h)
PUBLIC_PARTS := base/common.h topologies/topology.h core/method.h core/program.h core/register.h \
    $(addprefix threads/api/,ranks.h axis.h experiment.h measures.h report.h prepared.h run.h turn.h replay.h explore.h)

objects = $(patsubst %.c,$(out)/%.o,$(wildcard $(1)))
sources_of = $(sort $(shell find $(1) -name '*.c'))
LIBRARY_OBJECTS := $(call objects,$(call sources_of,base topologies core threads))
BASE_OBJECTS := $(call objects,$(call sources_of,base))
CLI_OBJECTS := $(call objects,$(filter-out cli/mpi/%,$(call sources_of,lab cli))) $(out)/cli/page/parts/parts.o \
               $(out)/lab/papers/claims.o
# The rooms whose code runs before and after the loops of a run, or explores; and a file of theory that takes long.
ONCE := base core/theory threads/api threads/experiment threads/host threads/machine threads/ranks threads/drivers/explore \
        threads/drivers/replay cli/line
LONG := $(call objects,core/theory/potential.c)
TEST_SOURCES := $(sort $(shell find tests -name 'test_*.c' -o -name 'plain_*.c' -o -name 'fuzz_*.c'))
PROGRAM_SOURCES := $(TEST_SOURCES) $(wildcard bench/bench_*.c examples/*.c)
# Objects that the test programs share, and objects that the benchmarks share.
SHARED_SOURCES := $(wildcard tests/support/*.c) $(filter-out $(PROGRAM_SOURCES),$(wildcard bench/*.c))
OBJECTS := $(LIBRARY_OBJECTS) $(CLI_OBJECTS) $(call objects,$(PROGRAM_SOURCES) $(SHARED_SOURCES) tests/fuzz/replay_corpus.c)
test_shared := $(call objects,$(filter tests/%,$(filter-out %/leaks.c,$(SHARED_SOURCES))))
test_objects := $(call objects,$(TEST_SOURCES) tests/fuzz/replay_corpus.c tests/support/leaks.c) $(test_shared)
bench_shared := $(call objects,$(filter bench/%,$(SHARED_SOURCES)))

programs = $(patsubst %.c,$(out)/%,$(filter $(1),$(PROGRAM_SOURCES)))
# The test programs whose file name matches.
programs_called = $(foreach source,$(TEST_SOURCES),$(if $(filter $(1),$(notdir $(source))),$(source:%.c=$(out)/%)))
TEST_PROGRAMS := $(call programs_called,test_%)
PLAIN_PROGRAMS := $(call programs_called,plain_%)
FUZZ_PROGRAMS := $(call programs_called,fuzz_%)
BENCH_PROGRAMS := $(call programs,bench/%)
EXAMPLE_PROGRAMS := $(call programs,examples/%)

.PHONY: all charts run test test-all bench bench-peers bench-plots bench-python bench-tasks bench-validate deb deb-root deps install uninstall check-format lint clean fuzz help objects tests plain fuzzers python web site
.DELETE_ON_ERROR:
.SECONDARY:

all: $(out)/evenkeel $(out)/libevenkeel.a $(out)/$(SONAME) $(PUBLIC) ## the command and the library
all: $(EXAMPLE_PROGRAMS)

run: $(out)/evenkeel ## run the main job: tiles of a picture are the tasks of 64 processors (OUT=DIR keeps the picture)
	@EVENKEEL=$< examples/main_job.sh $(if $(OUT),--out '$(OUT)')

test: ## run the tests, also under ASan, UBSan and TSan; the last line is "N passed, N failed"
	@MAKE='$(MAKE)' tests/run.sh

test-all: ## run the tests in full: thousands of draws, every combination, every model, every build
	@MAKE='$(MAKE)' TESTS_PART=1 tests/run.sh

bench: $(BENCH_PROGRAMS) ## measure the machine, and the bounds that it cannot beat
	@set -e; for program in $^; do $$program; done

bench-peers: $(out)/evenkeel ## measure it beside Go, Erlang, SimGrid, MPI, OpenMP and threads (installs them)
	@PACKAGES=bench/peers/packages ./bootstrap deps || echo "bench-peers: some packages are missing; measures the others" >&2
	@EVENKEEL=$< python3 -B bench/peers/check.py
	@EVENKEEL=$< python3 -B bench/peers/measure.py $(BENCH)

bench-tasks: $(out)/evenkeel ## compare how fast tasks are executed with the same tree in C
	@EVENKEEL=$< python3 -B bench/tasks.py $(BENCH)

bench-validate: $(out)/evenkeel ## compare virtual time with real threads, by this computer's costs
	@$< contention --keep >/dev/null
	@EVENKEEL=$< python3 -B bench/validate.py $(BENCH)

bench-python: python ## measure what Python costs: a run, and a method as a Python function
	@PYTHONPATH=$(out)/python $(PYTHON) -B bench/python.py $(BENCH)

bench-plots: $(out)/evenkeel ## plot time and memory by size, workers, degree and delay in build/plots/
	@EVENKEEL=$< python3 -B bench/plots.py $(BENCH)

deps: ## install the Debian packages that are missing
	@./bootstrap deps

# A Python with cffi and NumPy, or nothing. Debian's packages are for Debian's Python.
PYTHON = $(firstword $(foreach python,python3 /usr/bin/python3,$(shell $(python) -c 'import cffi, numpy' 2>/dev/null && echo $(python))))

python: all ## make the Python package in build/python; PYTHONPATH=build/python finds it (docs/python.md)
	@$(if $(PYTHON),,echo "python: no Python here has cffi and numpy: install python3-cffi and python3-numpy" >&2; exit 2)
	@rm -rf $(out)/python && mkdir -p $(out)/python && cp -r bindings/python/evenkeel $(out)/python/
	@$(PYTHON) -B bindings/python/generate.py $(out)/include $(out)/python/evenkeel

charts: ## download uPlot again, which draws the charts of `evenkeel report`, and build
	@rm -rf build/uplot
	@$(MAKE) --no-print-directory all

# Where the manual pages and the shells' completions go.
MAN := $(PREFIX)/share/man
COMPLETIONS := $(PREFIX)/share/bash-completion/completions/evenkeel $(PREFIX)/share/zsh/site-functions/_evenkeel \
               $(PREFIX)/share/fish/vendor_completions.d/evenkeel.fish
MADE_FROM_TABLES := $(addprefix $(out)/,evenkeel.1 evenkeel.3 evenkeel.5 evenkeel.7 evenkeel.bash evenkeel.zsh evenkeel.fish)

install: all $(MADE_FROM_TABLES) ## install under DESTDIR and PREFIX (/usr/local)
	install -d $(addprefix $(DESTDIR),$(PREFIX)/bin $(PREFIX)/include/evenkeel $(LIBDIR)/pkgconfig \
	    $(addprefix $(MAN)/,man1 man3 man5 man7) $(dir $(COMPLETIONS)))
	install $(out)/evenkeel $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $(out)/include/evenkeel.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(addprefix $(out)/include/evenkeel/,cargo.h block.h lanes.h wide.h) $(DESTDIR)$(PREFIX)/include/evenkeel/
	install -m 644 $(out)/libevenkeel.a $(DESTDIR)$(LIBDIR)/
	install -m 644 $(out)/$(SONAME) $(DESTDIR)$(LIBDIR)/libevenkeel.so.$(VERSION)
	ln -sf libevenkeel.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libevenkeel.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@LIBS@|$(LIBS)|' evenkeel.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/evenkeel.pc
	for section in 1 3 5 7; do \
	    install -m 644 $(out)/evenkeel.$$section $(DESTDIR)$(MAN)/man$$section/ || exit 1; \
	done
	install -m 644 $(out)/evenkeel.bash $(DESTDIR)$(word 1,$(COMPLETIONS))
	install -m 644 $(out)/evenkeel.zsh $(DESTDIR)$(word 2,$(COMPLETIONS))
	install -m 644 $(out)/evenkeel.fish $(DESTDIR)$(word 3,$(COMPLETIONS))
	[ -z "$(MPI)" ] || { install -d $(DESTDIR)$(PREFIX)/lib/evenkeel && \
	    install -m 644 $(out)/evenkeel-mpi.so $(DESTDIR)$(PREFIX)/lib/evenkeel/; }
	@# The loader finds the library through its cache. A package (DESTDIR) has scripts that update the cache.
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig || true

uninstall: ## remove the installed files
	rm -f $(addprefix $(DESTDIR),$(addprefix $(PREFIX)/,bin/evenkeel include/evenkeel.h $(addprefix include/evenkeel/,cargo.h block.h lanes.h wide.h)) \
	    $(foreach section,1 3 5 7,$(MAN)/man$(section)/evenkeel.$(section)) $(COMPLETIONS))
	rm -rf $(DESTDIR)$(PREFIX)/lib/evenkeel
	[ ! -d $(DESTDIR)$(PREFIX)/include/evenkeel ] || rmdir --ignore-fail-on-non-empty $(DESTDIR)$(PREFIX)/include/evenkeel
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libevenkeel.a libevenkeel.so.$(VERSION) $(SONAME) libevenkeel.so \
	                                       pkgconfig/evenkeel.pc)

deb: ## build Debian packages in build/deb/ and test them; needs debhelper, dh-python, lintian and fakeroot
	@tests/house/deb.sh

deb-root: ## test the packages of `make deb` on a clean Debian; needs root, debootstrap and a network
	@tests/house/deb_root.sh

check-format: ## fail if clang-format would change a file
	@clang-format --dry-run -Werror $(shell git ls-files '*.[ch]')

# The files that `make lint` reads. Left out are programs with flags of their own.
LINT := $(filter-out bench/peers/% tests/command/shortage/%,$(call sources_of,base topologies core threads lab cli bench examples tests))
LINT_FLAGS = $(filter-out -Werror,$(FLAGS)) $(INCLUDES) -I$(out)/include -Itests/support/mpi $(if $(MPI),$(shell pkg-config --cflags-only-I $(MPI)))
lint: $(addprefix lint/,$(LINT)) ## fail if clang-tidy reports anything (.clang-tidy); make -j2 -k lint is faster and reads every file
lint/%: $(PUBLIC)
	@clang-tidy --quiet --config-file=.clang-tidy --warnings-as-errors='*' $* -- $(LINT_FLAGS) 2>/dev/null

clean: ## remove build/
	rm -rf build

fuzz: ## fuzz each parser for FUZZ_SECONDS (60); inputs that fail go to tests/fuzz/corpus/; needs clang
	@$(MAKE) --no-print-directory BUILD=fuzz CC=clang fuzzers
	@set -e; for name in $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)); do \
	    mkdir -p build/fuzz/corpus/$$name tests/fuzz/corpus/$$name; \
	    build/fuzz/tests/fuzz/fuzz_$$name -entropic=0 -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=tests/fuzz/corpus/$$name/ \
	        build/fuzz/corpus/$$name tests/fuzz/corpus/$$name; \
	done

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' Makefile bindings/web/web.mk docs/site/site.mk
	@echo "BUILD=release|debug|asan|tsan chooses the build, V=1 shows the commands."

objects: $(OBJECTS)
plain: $(PLAIN_PROGRAMS)
fuzzers: $(FUZZ_PROGRAMS)
tests: $(TEST_PROGRAMS) fuzzers plain

# Below are the rules that build. say prints a line for a command, unless V=1 makes make print the command.
say = $(if $(V),,@echo "  $(1) $@";)
ifeq ($(filter-out help clean deb deb-root deps check-format uninstall,$(or $(MAKECMDGOALS),all)),)
else ifneq ($(shell pkg-config --exists $(LIBRARIES) $(COMMAND_LIBRARIES) && echo found),found)
$(error Some libraries are missing: run `./bootstrap deps` first)
endif

# BASE_DEBUG turns on the assertions in inner loops (base/debug.h). The tests' own code must compile quickly rather than
# run fast. ASan checks it, since tests lend memory to the library; UBSan does not.
ifneq ($(BUILD),release)
FLAGS += -DBASE_DEBUG
endif
ifeq ($(BUILD),release)
$(test_objects): FLAGS += -DBASE_DEBUG -Og -g1
# A run spends its time in the loops over its processors. Other code compiles faster with -Og or -O1.
$(CLI_OBJECTS): FLAGS += -Og
$(filter-out $(LONG),$(call objects,$(call sources_of,$(ONCE)) examples/*.c)): FLAGS += -O1
# It calls the rules of plugins through pointers.
$(out)/threads/rounds/checked_method.o: FLAGS += -O1
else ifeq ($(BUILD),asan)
$(test_objects): FLAGS += -O0 -fno-sanitize=$(UNDEFINED)
# Each loop of a method is one function, into which much is inlined. With -O1 these files take twice as long to compile.
# The others are not where a run spends its time, and compile faster.
$(call objects,core/methods/*.c threads/rounds/block.c threads/rounds/checked_method.c): FLAGS += -Og
$(CLI_OBJECTS) $(call objects,$(call sources_of,$(ONCE))): FLAGS += -Og
endif

$(out)/%.o: %.c Makefile VERSION
	@mkdir -p $(@D)
	$(call say,cc  )$(CC) $(FLAGS) $(INCLUDES) $(CFLAGS) -MMD -MP -c $< -o $@

# The command contains the parts of the page of `evenkeel report` as bytes, which begin at the symbols _binary_NAME_start.
page_parts := $(addprefix cli/page/parts/,head.html page.css body.html)
page_scripts := $(addprefix cli/page/parts/,values.js interval.js colours.js charts.js tables.js compare.js curves.js topology.js map.js profile.js free.js timeline.js contention.js page.js)
build/uplot/uplot.js: cli/page/parts/uplot.sh
	@$< $(@D)

$(out)/cli/page/parts/parts.o: $(page_parts) $(page_scripts) build/uplot/uplot.js Makefile
	@mkdir -p $(@D) && cp $(page_parts) build/uplot/uplot.js build/uplot/uplot.css $(@D) && cat $(page_scripts) > $(@D)/script.js
	$(call say,ld  )cd $(@D) && $(LD) -r -b binary -z noexecstack -o $(@F) $(notdir $(page_parts)) script.js uplot.js uplot.css

# The command contains the papers' claims, too.
claims := $(sort $(wildcard lab/papers/*.ini))
$(out)/lab/papers/claims.o: $(claims) Makefile
	@mkdir -p $(@D) && cat $(claims) > $(@D)/claims.ini
	$(call say,ld  )cd $(@D) && $(LD) -r -b binary -z noexecstack -o $(@F) claims.ini

# All of the library's functions, for tests that call those that it hides.
$(out)/rooms.a: $(LIBRARY_OBJECTS)
	$(call say,ar  )rm -f $@ && $(AR) rcs $@ $^

# The functions that tests share. A test is linked with those that it calls, and with what these call of the library.
$(out)/support.a: $(test_shared)
	$(call say,ar  )rm -f $@ && $(AR) rcs $@ $^

# All of the command's functions but main, for tests of lab/ and cli/.
$(out)/command.a: $(filter-out $(out)/cli/main.o,$(CLI_OBJECTS))
	$(call say,ar  )rm -f $@ && $(AR) rcs $@ $^

# The static library is one object whose only global symbols are those of <evenkeel.h>, so that no name clashes.
$(out)/libevenkeel.a: $(LIBRARY_OBJECTS)
	$(call say,ar  )rm -f $@ $(@:.a=.o) && $(LD) -r -o $(@:.a=.o) $^ && $(OBJCOPY) --localize-hidden $(@:.a=.o) && \
	    $(AR) rcs $@ $(@:.a=.o)

$(out)/$(SONAME): $(LIBRARY_OBJECTS)
	$(call say,link)$(CC) $(FLAGS) $(CFLAGS) -shared -Wl,-soname,$(SONAME) $^ $(LIBS) -o $@

# The command exports ek_*, because plugins call the library in it. It has base/ twice, because the library hides its own.
$(out)/evenkeel: $(CLI_OBJECTS) $(BASE_OBJECTS) $(out)/libevenkeel.a
	$(call say,link)$(CC) $(FLAGS) $(CFLAGS) $^ $(LIBS) $(COMMAND_LIBS) -Wl,--export-dynamic-symbol='ek_*' -o $@

ifneq ($(MPI),)
$(out)/evenkeel: | $(out)/evenkeel-mpi.so
$(out)/evenkeel-mpi.so: cli/mpi/mpi_ranks.c cli/mpi/mpi.h $(PUBLIC_PARTS) Makefile VERSION
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(FLAGS) $(INCLUDES) $(patsubst -I%,-isystem%,$(shell pkg-config --cflags-only-I $(MPI))) $(CFLAGS) \
	    $(if $(METIS),-DCLI_WITH_METIS) -shared $< $(shell pkg-config --libs $(MPI)) $(METIS) -o $@
endif

$(out)/include/evenkeel.h: threads/api/evenkeel.h $(PUBLIC_PARTS) Makefile VERSION
	@mkdir -p $(@D)
	$(call say,join)awk '/^#include "/ { gsub("\"", "", $$2); while ((getline line < $$2) > 0) \
	    if (line !~ /^#include "|^\/\/ SPDX/) print line; next } { sub("@VERSION@", "$(VERSION)"); print }' $< > $@

# The loops of methods, with the header of cargo that they include.
$(out)/include/evenkeel/cargo.h: core/cargo/cargo.h
$(out)/include/evenkeel/block.h: core/methods/kernels/block.h
$(out)/include/evenkeel/lanes.h: core/lanes.h
$(out)/include/evenkeel/wide.h: core/methods/kernels/wide.h
$(out)/include/evenkeel/%.h: Makefile
	@mkdir -p $(@D)
	$(call say,sed )sed -e 's|"core/cargo/cargo.h"|<evenkeel/cargo.h>|' -e 's|"core/method.h"|<evenkeel.h>|' -e '/"topologies\/topology.h"/d' -e 's|"core/methods/kernels/block.h"|<evenkeel/block.h>|' -e 's|"core/lanes.h"|<evenkeel/lanes.h>|' $(filter %.h,$^) > $@

$(addprefix $(out)/cli/,figures/picture.o commands/doctor.o): INCLUDES += $(if $(PNG),-DCLI_WITH_PNG)
$(out)/cli/commands/doctor.o: INCLUDES += $(if $(METIS),-DCLI_WITH_METIS)

$(out)/cli/line/manual.o: CHANGELOG.md
$(out)/evenkeel.1: $(out)/evenkeel
	$(call say,man )$< help --man > $@

$(out)/evenkeel.3: docs/library.md
$(out)/evenkeel.5: docs/formats.md
$(out)/evenkeel.7: docs/model.md
$(addprefix $(out)/evenkeel.,3 5 7): $(out)/evenkeel.%: docs/mdoc.awk CHANGELOG.md
	$(call say,man )awk -v name=evenkeel -v section=$* -v date='$(DATE)' -f $< $(filter docs/%.md,$^) > $@

$(addprefix $(out)/evenkeel.,bash zsh fish): $(out)/evenkeel.%: $(out)/evenkeel
	$(call say,tab )$< help --completion $* > $@

# gold links fastest of the linkers that come with gcc, so it links the tests. It warns about clang's AddressSanitizer.
GOLD := $(if $(CLANG),,$(shell $(CC) -fuse-ld=gold -Wl,--version >/dev/null 2>&1 && echo -fuse-ld=gold))
$(TEST_PROGRAMS) $(PLAIN_PROGRAMS) $(FUZZ_PROGRAMS): EXTRA = $(GOLD)
$(TEST_PROGRAMS): EXTRA += $(CRITERION)
# A program with fixed addresses starts faster.
$(TEST_PROGRAMS) $(PLAIN_PROGRAMS) $(FUZZ_PROGRAMS): EXTRA += -no-pie
$(TEST_PROGRAMS) $(PLAIN_PROGRAMS): support = $(out)/support.a
$(TEST_PROGRAMS) $(PLAIN_PROGRAMS): $(out)/support.a
$(TEST_PROGRAMS): $(out)/tests/support/leaks.o | $(NO_GIT)
ifneq ($(GIT),)
$(NO_GIT): tests/support/criterion/no_git.c Makefile
	@mkdir -p $(@D)
	$(call say,link)$(CC) -O1 -shared -fPIC -Wl,-soname,$(GIT) $< -o $@
endif
ifeq ($(BUILD),fuzz)
$(FUZZ_PROGRAMS): EXTRA += -fsanitize=fuzzer
else
$(FUZZ_PROGRAMS): $(out)/tests/fuzz/replay_corpus.o
endif
$(BENCH_PROGRAMS): $(bench_shared)
$(call objects,examples/*.c): INCLUDES += -I$(out)/include
$(call objects,examples/*.c): $(PUBLIC)
$(out)/tests/unit/cli/test_mpi_ranks.o: INCLUDES += -Itests/support/mpi
$(EXAMPLE_PROGRAMS): library = $(out)/libevenkeel.a
$(EXAMPLE_PROGRAMS): $(out)/libevenkeel.a
$(call programs,%): library = $(out)/rooms.a
COMMAND_TESTS := $(call programs,tests/unit/lab/% tests/unit/cli/% tests/runs/test_runs_over_ranks.c) $(addprefix $(out)/tests/fuzz/fuzz_,experiment_file record recording store)
$(COMMAND_TESTS): library = $(out)/command.a $(out)/rooms.a
$(COMMAND_TESTS): $(out)/command.a
# A few objects of the command, because command.a takes long to compile with ThreadSanitizer.
$(out)/tests/concurrency/plain_live: $(addprefix $(out)/,$(addsuffix .o,cli/figures/live cli/figures/live_picture cli/figures/pace \
    cli/figures/speed cli/figures/chart cli/figures/heat cli/terminal/interrupt cli/terminal/keys cli/terminal/suspend \
    cli/terminal/terminal cli/terminal/text lab/record/fields lab/record/record lab/record/traces lab/text/clean_text))
$(call programs,%): $(out)/%: $(out)/%.o $(out)/rooms.a
	$(call say,link)$(CC) $(FLAGS) $(CFLAGS) $(filter %.o,$^) $(support) $(library) $(LIBS) $(COMMAND_LIBS) $(EXTRA) -o $@

-include $(OBJECTS:.o=.d)

include bindings/web/web.mk
include docs/site/site.mk
